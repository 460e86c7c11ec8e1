// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import java.util.function.Consumer;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;

/** Listens through a client whose connections are out of reach: its own timeouts bound the way to the server. */
final class ClientLine implements SignalLine {

    private final UnifiedJedis client;

    ClientLine(UnifiedJedis client) {
        this.client = client;
    }

    @Override
    public void listen(JedisPubSub ear, String channel, Deadline deadline, Consumer<Runnable> cutter) {
        cutter.accept(() -> leave(ear));
        client.subscribe(ear, channel);
    }

    @Override
    public String place() {
        return "the Redis of the given " + client.getClass().getSimpleName();
    }

    /** The client is the application's. */
    @Override
    public void close() {}

    /** As much as can be done from outside; a dead connection is left to the operating system. */
    private static void leave(JedisPubSub ear) {
        try {
            ear.unsubscribe();
        } catch (JedisException ignored) {
            // it has ended, or never began
        }
    }
}
