// SPDX-License-Identifier: Apache-2.0
package io.polylock.servers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

/**
 * A real Redis server of this JVM's own, on a free port of the loopback interface, that can be broken on purpose.
 *
 * <p>It ends with {@link #close()}, and at the latest with the JVM, even one that is killed; nothing of it stays on disk.
 * Every method returns when its effect is there, and an interrupt does not cut it short. Thread-safe.
 */
public final class RedisServer implements LockServer {

    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final RedisServerOptions options;
    private final int port;
    private RedisProcess process;
    private Phase phase;

    private enum Phase {
        STARTED,
        KILLED,
        CLOSED
    }

    private RedisServer(RedisServerOptions options, int port, RedisProcess process) {
        this.options = options;
        this.port = port;
        this.process = process;
        this.phase = Phase.STARTED;
    }

    /**
     * The server that tests are to run on: the one at the URL in the system property {@code polylock.redis.url}, or else
     * in the environment variable {@code POLYLOCK_REDIS_URL}, or else one that is started.
     *
     * @throws IllegalArgumentException if the setting is not a Redis URL
     * @throws IllegalStateException as for {@link #start()}
     */
    public static LockServer forTests() {
        return Setting.REDIS_URL.value().<LockServer>map(ExternalServer::new).orElseGet(RedisServer::start);
    }

    /**
     * Starts a server with {@link RedisServerOptions#DEFAULTS}.
     *
     * @throws IllegalStateException if it cannot be started here, with its log or with what to install or set; nothing is
     *     left of it
     */
    public static RedisServer start() {
        return start(RedisServerOptions.DEFAULTS);
    }

    /**
     * Starts a server.
     *
     * @throws IllegalStateException if it cannot be started here, with its log or with what to install or set; nothing is
     *     left of it
     */
    public static RedisServer start(RedisServerOptions options) {
        return start(LocalPort::findFree, options);
    }

    /** Starts a server on the first of these ports that nobody else has. */
    static RedisServer start(IntSupplier ports, RedisServerOptions options) {
        Launched launched = launch(ports, options);
        return new RedisServer(options, launched.port(), launched.process());
    }

    /** The address that the server listens on. */
    public String host() {
        return LocalPort.HOST;
    }

    /** The port that the server listens on, the same for its whole life. */
    public int port() {
        return port;
    }

    @Override
    public String url() {
        // URLEncoder is made for forms, where a space is a plus.
        String userInfo = options.password()
                .map(password -> ":" + URLEncoder.encode(password, UTF_8).replace("+", "%20") + "@")
                .orElse("");
        return "redis://" + userInfo + LocalPort.HOST + ":" + port;
    }

    /**
     * The process id, another one after {@link #restartEmpty()}.
     *
     * @throws IllegalStateException if the server is killed or closed
     */
    public synchronized long pid() {
        return started().pid();
    }

    /**
     * Stops the process (SIGSTOP): connections are still accepted, answers stay out, and keys go on expiring. Pausing a
     * paused server changes nothing.
     *
     * @throws IllegalStateException if the server is killed or closed
     */
    public synchronized void pause() {
        signal("STOP", ProcessState.STOPPED);
    }

    /**
     * Continues the process (SIGCONT), which then answers what was asked meanwhile. Resuming a running server changes
     * nothing.
     *
     * @throws IllegalStateException if the server is killed or closed
     */
    public synchronized void resume() {
        signal("CONT", ProcessState.RUNNING);
    }

    /**
     * Kills the process (SIGKILL), also a paused one, and with it all data; clients are then refused. Killing a killed
     * server changes nothing.
     *
     * @throws IllegalStateException if the server is closed
     */
    public synchronized void kill() {
        if (phase != Phase.KILLED) {
            started().end();
            phase = Phase.KILLED;
        }
    }

    /**
     * Starts a killed server again, on the same port and without data.
     *
     * @throws IllegalStateException if the server is not killed, or cannot be started; it is then still killed
     */
    public synchronized void restartEmpty() {
        if (phase != Phase.KILLED) {
            throw new IllegalStateException(this + " is " + phase + ", not KILLED");
        }
        process = launch(() -> port, options).process();
        phase = Phase.STARTED;
    }

    @Override
    public synchronized void close() {
        if (phase == Phase.STARTED) {
            process.end();
        }
        phase = Phase.CLOSED;
    }

    /** Where the running process keeps its files. */
    synchronized Path directory() {
        return started().directory();
    }

    @Override
    public String toString() {
        return "redis-server on " + LocalPort.HOST + ":" + port;
    }

    private RedisProcess started() {
        if (phase != Phase.STARTED) {
            throw new IllegalStateException(this + " is " + phase);
        }
        return process;
    }

    private void signal(String name, ProcessState expected) {
        started().signal(name);
        Await.within(LIMIT, () -> process.state() == expected || process.state() == ProcessState.ENDED);
        ProcessState actual = process.state();
        if (actual != expected) {
            throw new IllegalStateException(this + " is " + actual + ", not " + expected + ", after SIG" + name);
        }
    }

    private record Launched(int port, RedisProcess process) {}

    /** Tries ports until a server is ready, or fails for another reason than a clash, or time is up. */
    private static Launched launch(IntSupplier ports, RedisServerOptions options) {
        long startNanos = System.nanoTime();
        while (true) {
            int port = ports.getAsInt();
            RedisProcess process = RedisProcess.start(port, options);
            Duration left = LIMIT.minusNanos(System.nanoTime() - startNanos);
            boolean inTime = Await.within(left, () -> process.state() == ProcessState.ENDED || process.isReady());
            boolean ended = process.state() == ProcessState.ENDED;
            if (inTime && !ended) {
                return new Launched(port, process);
            }
            String log = process.log();
            process.end();
            if (!inTime || !isClash(log)) {
                throw new IllegalStateException("redis-server (" + RedisBinary.command() + ") on port " + port
                        + (ended ? " ended before it was ready" : " was not ready within " + LIMIT) + "; its log:\n"
                        + log);
            }
        }
    }

    /*
     * Two things that others can be in the way of for a moment: the port, which was free when we looked, in the words of
     * musl and of other C libraries; and the binary, as long as a child of this JVM, forked during the extraction, still
     * has it open for writing.
     */
    private static boolean isClash(String log) {
        return Stream.of("Address in use", "Address already in use", "Text file busy")
                .anyMatch(log::contains);
    }
}
