// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;

/** The polylock command. */
@Command(
        name = "polylock",
        description = "Polylock: distributed locks for Java, one API for many stores.",
        footerHeading = "%nStart here:%n",
        footer = "  polylock demo           a lock at work, through a crash and a pause%n"
                + "  polylock demo --break   the same with a lock that ignores owners",
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        subcommands = {DemoCommand.class, WorkerCommand.class})
public final class Main implements Runnable {

    private Main() {}

    /**
     * Runs the command and ends the JVM with its exit code: 0 as expected, 1 not, 2 called in a wrong way.
     *
     * @param args the command's arguments
     */
    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Main())
                .setColorScheme(Help.defaultColorScheme(Terminal.ansi()))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler((e, args) -> {
                    PrintWriter err = e.getCommandLine().getErr();
                    err.println(e.getMessage());
                    err.println("Try '" + e.getCommandLine().getCommandSpec().qualifiedName() + " --help'.");
                    return ExitCode.USAGE;
                })
                .setExecutionExceptionHandler((e, line, parsed) -> {
                    line.getErr().println(e instanceof DemoFailure ? e.getMessage() : "polylock failed: " + e);
                    return ExitCode.FAILED;
                });
    }

    @Override
    public void run() {
        commandLine().usage(System.out);
    }

    /** The version in the jar. */
    static final class Version implements CommandLine.IVersionProvider {

        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {"polylock " + (version == null ? "(not packaged)" : version)};
        }
    }
}
