// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.Pool;

/**
 * The connections of a client that the application owns, each borrowed from its pool for one request. The pool makes a new
 * connection on the thread that borrows, or that returns a broken one, and waits for the server in doing so under timeouts
 * that are not ours. Where that may happen a helper thread does it, so that a request keeps its own time.
 */
final class ClientConnections implements Connections {

    private final Pool<Connection> pool;
    private final ThreadPoolExecutor helpers;
    private volatile String place = "the Redis of the given client";

    private record PooledWire(Connection connection, int soTimeout) implements Wire {

        @Override
        public void endBy(Deadline deadline) {
            connection.setSoTimeout(Math.max(1, deadline.leftMillis()));
        }
    }

    ClientConnections(Pool<Connection> pool) {
        this.pool = pool;
        this.helpers = new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, 1, TimeUnit.SECONDS, new SynchronousQueue<>(), ClientConnections::daemon);
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
        if (pool.getTestOnReturn()) {
            helped(() -> pool.returnResource(wire.connection()));
        } else {
            pool.returnResource(wire.connection());
        }
    }

    @Override
    public void discard(Wire wire) {
        Connection connection = wire.connection();
        connection.setBroken();
        try {
            connection.forceDisconnect();
        } catch (IOException ignored) {
            // it is of no use to anybody any more
        }
        helped(() -> returnBroken(connection));
    }

    /** What may talk to the server beyond a request's time is not for its caller to wait for. */
    private void helped(Runnable work) {
        try {
            helpers.execute(work);
        } catch (RejectedExecutionException backendClosed) {
            work.run();
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
        helpers.shutdown();
    }

    private Connection borrow(Deadline deadline) {
        if (deadline.isOver()) {
            throw RedisErrors.noTimeLeft(place);
        }
        try {
            boolean talksToNobody = !pool.getTestOnBorrow() && !pool.getTestOnReturn();
            boolean makesNone = talksToNobody && (pool.getNumIdle() > 0 || pool.getNumActive() >= pool.getMaxTotal());
            return makesNone ? borrowNow(deadline) : borrowThroughHelper(deadline);
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

    private Connection borrowNow(Deadline deadline) throws Exception {
        return pool.borrowObject(Duration.ofNanos(deadline.leftNanos()));
    }

    private Connection borrowThroughHelper(Deadline deadline) throws Exception {
        CompletableFuture<Connection> offer = new CompletableFuture<>();
        helpers.execute(() -> {
            try {
                Connection connection = borrowNow(deadline);
                if (!offer.complete(connection)) {
                    pool.returnResource(connection);
                }
            } catch (Exception e) {
                offer.completeExceptionally(e);
            }
        });
        try {
            return offer.get(deadline.leftNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } catch (TimeoutException e) {
            if (offer.cancel(false)) {
                throw e;
            }
        } catch (InterruptedException e) {
            if (offer.cancel(false)) {
                throw e;
            }
            Thread.currentThread().interrupt();
        }
        return offer.join();
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(null, task, "polylock-redis-connections", 0, false);
        thread.setContextClassLoader(ClientConnections.class.getClassLoader());
        thread.setDaemon(true);
        return thread;
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
