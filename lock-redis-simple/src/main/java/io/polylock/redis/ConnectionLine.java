// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;
import redis.clients.jedis.Connection;
import redis.clients.jedis.JedisPubSub;

/** Listens on a connection that it takes for itself and never gives back. */
final class ConnectionLine implements SignalLine {

    private static final Duration FOR_EVER = Duration.ofDays(36_500);

    private final Connections connections;

    ConnectionLine(Connections connections) {
        this.connections = connections;
    }

    @Override
    public void listen(JedisPubSub ear, String channel, Deadline deadline, Consumer<Runnable> cutter) {
        Wire wire = connections.take(deadline);
        try {
            wire.endBy(Deadline.in(FOR_EVER));
            cutter.accept(() -> cut(wire.connection()));
            ear.proceed(wire.connection(), channel);
        } finally {
            connections.discard(wire);
        }
    }

    @Override
    public String place() {
        return connections.place();
    }

    @Override
    public void close() {
        connections.close();
    }

    private static void cut(Connection connection) {
        try {
            connection.forceDisconnect();
        } catch (IOException ignored) {
            // it is of no use to anybody any more
        }
    }
}
