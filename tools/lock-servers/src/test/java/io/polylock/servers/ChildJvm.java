// SPDX-License-Identifier: Apache-2.0
package io.polylock.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Another JVM, which never closes its server. */
final class ChildJvm implements AutoCloseable {

    private final Process process;

    private ChildJvm(Process process) {
        this.process = process;
    }

    /** What the other JVM does; its one argument says with which kind of server. */
    public static void main(String[] arguments) throws IOException {
        switch (arguments[0]) {
            case "url" -> System.out.println(RedisServer.forTests().url());
            case "running" -> System.out.println(RedisServer.start().pid());
            case "paused" -> {
                RedisServer server = RedisServer.start();
                server.pause();
                System.out.println(server.pid());
            }
            case "broken" -> {
                try {
                    RedisServer.start(RedisServerOptions.DEFAULTS.withConfigLine("no-such-directive 1"));
                } catch (IllegalStateException expected) {
                    System.out.println("refused");
                }
            }
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        System.in.read();
    }

    static ChildJvm start(String server, List<String> jvmOptions, Map<String, String> environment) throws IOException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), ChildJvm.class.getName(), server));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        return new ChildJvm(builder.start());
    }

    String printedLine() throws IOException {
        return process.inputReader().readLine();
    }

    /** SIGKILL. */
    void kill() {
        process.destroyForcibly();
    }

    /** Lets it return from main. */
    void letEnd() throws IOException {
        process.outputWriter().close();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
