// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import java.util.function.Consumer;
import redis.clients.jedis.JedisPubSub;

/** Where a connection to listen on comes from. Thread-safe. */
interface SignalLine extends AutoCloseable {

    /**
     * Listens on a channel until the connection ends; returns or throws then.
     *
     * @param ear hears what comes
     * @param channel the one channel
     * @param deadline bounds the time until the connection is there, where it can be bounded
     * @param cutter is given, before the server is asked, what ends the connection without waiting for the server
     */
    void listen(JedisPubSub ear, String channel, Deadline deadline, Consumer<Runnable> cutter);

    /** Where the server is, for messages. */
    String place();

    @Override
    void close();
}
