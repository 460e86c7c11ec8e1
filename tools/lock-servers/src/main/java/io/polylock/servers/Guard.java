// SPDX-License-Identifier: Apache-2.0
package io.polylock.servers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * A shell script that cleans up once its standard input ends, and must do so with exit code 0.
 *
 * <p>This JVM holds the only other end of that pipe and the kernel closes it with the JVM, SIGKILL included. So an
 * ordinary end, a forgotten {@code close()} and a killed JVM are one case; a shutdown hook would cover fewer, and would
 * take the server away from other shutdown hooks that still need it.
 */
final class Guard {

    private static final Duration LIMIT = Duration.ofSeconds(10);

    // Ctrl-C reaches the whole process group, and cleaning up is due after it, not instead of it.
    private static final String OUTLIVE_THE_JVM = "trap '' HUP INT QUIT TERM\n";

    private final Process shell;
    private final BufferedReader output;
    private final Writer input;

    private Guard(Process shell) {
        this.shell = shell;
        this.output = shell.inputReader();
        this.input = shell.outputWriter();
    }

    static Guard start(String script, List<String> arguments) {
        List<String> command = Stream.concat(
                        Stream.of("sh", "-c", OUTLIVE_THE_JVM + script, "polylock-guard"), arguments.stream())
                .toList();
        try {
            return new Guard(
                    new ProcessBuilder(command).redirectError(Redirect.DISCARD).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The next line that the script prints. */
    String readLine() {
        try {
            String line = output.readLine();
            if (line == null) {
                throw new IllegalStateException(this + " ended unexpectedly");
            }
            return line;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Hands the script a line to read. */
    void writeLine(String line) {
        try {
            input.write(line + "\n");
            input.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(this + " is gone", e);
        }
    }

    /** Lets the script clean up, and returns when it has. */
    void end() {
        try {
            input.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (!Await.within(LIMIT, () -> !shell.isAlive())) {
            throw new IllegalStateException(this + " did not end within " + LIMIT);
        }
        if (shell.exitValue() != 0) {
            throw new IllegalStateException(this + " could not clean up, exit code " + shell.exitValue());
        }
    }

    @Override
    public String toString() {
        return "The guard with pid " + shell.pid();
    }
}
