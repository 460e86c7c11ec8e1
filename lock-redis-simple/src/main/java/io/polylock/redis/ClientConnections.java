// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.util.NoSuchElementException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.Pool;

/** The connections of a client that the application owns, each borrowed from its pool for one request. */
final class ClientConnections implements Connections {

    private static final int DISCARDERS = 2;

    private final Pool<Connection> pool;
    private final ThreadPoolExecutor discarders;
    private volatile String place = "the Redis of the given client";

    private record PooledWire(Connection connection, int soTimeout) implements Wire {

        @Override
        public void endBy(Deadline deadline) {
            connection.setSoTimeout(Math.max(1, deadline.leftMillis()));
        }
    }

    ClientConnections(Pool<Connection> pool) {
        this.pool = pool;
        this.discarders = new ThreadPoolExecutor(
                DISCARDERS, DISCARDERS, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "polylock-redis-discard");
                    thread.setDaemon(true);
                    return thread;
                });
        discarders.allowCoreThreadTimeOut(true);
    }

    @Override
    public Wire take(Deadline deadline) {
        Connection connection = borrow(deadline);
        HostAndPort address = connection.getHostAndPort();
        if (address != null) {
            place = "Redis at " + address;
        }
        return new PooledWire(connection, connection.getSoTimeout());
    }

    @Override
    public void giveBack(Wire wire) {
        try {
            wire.connection().setSoTimeout(((PooledWire) wire).soTimeout);
        } catch (JedisException closedMeanwhile) {
            discard(wire);
            return;
        }
        pool.returnResource(wire.connection());
    }

    /*
     * The pool replaces a broken connection at once, on the thread that returns it, and waits for the server in doing so:
     * with a server that hangs, a request would take twice its time.
     */
    @Override
    public void discard(Wire wire) {
        Connection connection = wire.connection();
        connection.setBroken();
        try {
            connection.forceDisconnect();
        } catch (IOException ignored) {
            // it is of no use to anybody any more
        }
        Runnable returning = () -> returnBroken(connection);
        try {
            discarders.execute(returning);
        } catch (RejectedExecutionException backendClosed) {
            returning.run();
        }
    }

    /** The idle connections are the application's. */
    @Override
    public void discardIdle() {}

    @Override
    public String place() {
        return place;
    }

    @Override
    public void close() {
        discarders.shutdown();
    }

    private Connection borrow(Deadline deadline) {
        if (deadline.isOver()) {
            throw RedisErrors.noTimeLeft(place);
        }
        try {
            return pool.borrowObject(Duration.ofNanos(deadline.leftNanos()));
        } catch (InterruptedException e) {
            throw RedisErrors.interrupted(place, e);
        } catch (NoSuchElementException e) {
            throw isJedis(e.getCause()) ? RedisErrors.noConnection(place, e) : RedisErrors.allInUse(place, e);
        } catch (IllegalStateException e) {
            throw new LockBackendException(Outcome.REFUSED, "the given Redis client is closed", e);
        } catch (Exception e) {
            throw RedisErrors.noConnection(place, e);
        }
    }

    private static boolean isJedis(@Nullable Throwable cause) {
        return cause instanceof JedisException;
    }

    @SuppressWarnings("EmptyCatch") // the server is in trouble, and whoever asks next hears of it
    private void returnBroken(Connection connection) {
        try {
            pool.returnBrokenResource(connection);
        } catch (RuntimeException ignored) {
            // the place in the pool is free all the same
        }
    }
}
