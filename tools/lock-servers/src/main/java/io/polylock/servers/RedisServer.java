// SPDX-License-Identifier: Apache-2.0
package io.polylock.servers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.Socket;
import java.net.URLEncoder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.IntSupplier;

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
    private State state;

    private sealed interface State {}

    private record Running(RedisProcess process) implements State {}

    private record Killed(Socket portHolder) implements State {}

    private record Closed() implements State {}

    private RedisServer(RedisServerOptions options, int port, RedisProcess process) {
        this.options = options;
        this.port = port;
        this.state = new Running(process);
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
        Started started = launch(LocalPort::findFree, options);
        return new RedisServer(options, started.port(), started.process());
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
        return running().pid();
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
     * Kills the process (SIGKILL), also a paused one, and with it all data; clients are then refused. The port stays
     * reserved. Killing a killed server changes nothing.
     *
     * @throws IllegalStateException if the server is closed
     */
    public synchronized void kill() {
        if (state instanceof Killed) {
            return;
        }
        running().end();
        state = new Killed(LocalPort.hold(port));
    }

    /**
     * Starts a killed server again, on the same port and without data.
     *
     * @throws IllegalStateException if the server is not killed, or cannot be started; it is then still killed
     */
    public synchronized void restartEmpty() {
        if (!(state instanceof Killed killed)) {
            throw new IllegalStateException(this + " is not killed: kill() it first");
        }
        LocalPort.release(killed.portHolder());
        try {
            state = new Running(launch(() -> port, options).process());
        } catch (RuntimeException e) {
            state = new Killed(LocalPort.hold(port));
            throw e;
        }
    }

    @Override
    public synchronized void close() {
        if (state instanceof Running running) {
            running.process().end();
        } else if (state instanceof Killed killed) {
            LocalPort.release(killed.portHolder());
        }
        state = new Closed();
    }

    /** Where the running process keeps its files. */
    synchronized Path directory() {
        return running().directory();
    }

    @Override
    public String toString() {
        return "redis-server on " + LocalPort.HOST + ":" + port;
    }

    private RedisProcess running() {
        if (state instanceof Running running) {
            return running.process();
        }
        throw new IllegalStateException(this + " is " + (state instanceof Killed ? "killed" : "closed"));
    }

    private void signal(String name, ProcessState expected) {
        RedisProcess process = running();
        process.signal(name);
        if (!Await.within(LIMIT, () -> process.state() == expected)) {
            throw new IllegalStateException(
                    this + " is " + process.state() + " instead of " + expected + " " + LIMIT + " after SIG" + name);
        }
    }

    private record Started(int port, RedisProcess process) {}

    /** Tries ports until the server on one is ready, or an error other than a clash shows up, or time is up. */
    private static Started launch(IntSupplier ports, RedisServerOptions options) {
        long startNanos = System.nanoTime();
        while (true) {
            int port = ports.getAsInt();
            RedisProcess process = RedisProcess.start(port, options);
            Duration left = LIMIT.minusNanos(System.nanoTime() - startNanos);
            Await.within(left, () -> process.state() == ProcessState.ENDED || process.isReady());
            ProcessState state = process.state();
            if (state != ProcessState.ENDED && process.isReady()) {
                return new Started(port, process);
            }
            String log = process.log();
            process.end();
            boolean clash = state == ProcessState.ENDED && isClash(log);
            if (!clash || System.nanoTime() - startNanos > LIMIT.toNanos()) {
                throw new IllegalStateException("redis-server on port " + port + " was "
                        + (state == ProcessState.ENDED ? "ended by an error" : "not ready within " + LIMIT)
                        + "; its log:\n" + log);
            }
        }
    }

    /*
     * Two things that another process can be in the way of for a moment: the port, which was free when we looked, and the
     * binary, which cannot be run while a child of this JVM, forked during the extraction, still has it open for writing.
     */
    private static boolean isClash(String log) {
        return log.contains("Address already in use") || log.contains("Text file busy");
    }
}
