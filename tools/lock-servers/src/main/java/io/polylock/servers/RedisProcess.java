// SPDX-License-Identifier: Apache-2.0
package io.polylock.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** One life of a redis-server process, in a directory of its own that ends with it. */
final class RedisProcess {

    /*
     * The shell is the parent of redis-server and alone signals it: the kernel keeps a child's pid until its parent has
     * waited for it, so that no signal hits a stranger who got the pid of a crashed server.
     */
    private static final String SUPERVISE =
            """
            directory=$1
            shift
            "$@" </dev/null >"$directory/log" 2>&1 &
            echo $!
            while read -r signal; do kill -s "$signal" $!; done
            kill -s KILL $!
            wait $!
            rm -rf "$directory"
            """;

    private final int port;
    private final RedisServerOptions options;
    private final Path directory;
    private final Guard guard;
    private final long pid;

    private RedisProcess(int port, RedisServerOptions options, Path directory, Guard guard, long pid) {
        this.port = port;
        this.options = options;
        this.directory = directory;
        this.guard = guard;
        this.pid = pid;
    }

    /** Starts redis-server, which may then be ready, getting ready, or ended by an error. */
    static RedisProcess start(int port, RedisServerOptions options) {
        String command = RedisBinary.command();
        try {
            Path directory = Files.createTempDirectory("polylock-redis-");
            Path config = Files.write(directory.resolve("redis.conf"), configLines(port, directory, options));
            Guard guard = Guard.start(SUPERVISE, List.of(directory.toString(), command, config.toString()));
            return new RedisProcess(port, options, directory, guard, Long.parseLong(guard.readLine()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> configLines(int port, Path directory, RedisServerOptions options) {
        List<String> lines = new ArrayList<>(List.of(
                "bind " + LocalPort.HOST,
                "port " + port,
                "dir " + quoted(directory.toString()),
                "save \"\"",
                "appendonly no"));
        options.password().ifPresent(password -> lines.add("requirepass " + quoted(password)));
        lines.addAll(options.configLines());
        return lines;
    }

    private static String quoted(String value) {
        return '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    long pid() {
        return pid;
    }

    Path directory() {
        return directory;
    }

    ProcessState state() {
        return ProcessState.of(pid);
    }

    boolean isReady() {
        return RedisProbe.processId(port, options.password()).equals(OptionalLong.of(pid));
    }

    /** Sends a signal, named as in {@code kill -s}. It may not have arrived yet. */
    void signal(String name) {
        guard.writeLine(name);
    }

    /** Everything that the process, or the shell in its place, has printed. */
    String log() {
        try {
            return new String(Files.readAllBytes(directory.resolve("log")), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills the process and returns once it and its directory are gone. */
    void end() {
        guard.end();
    }
}
