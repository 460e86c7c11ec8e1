// SPDX-License-Identifier: Apache-2.0
package io.polylock.memory;

import io.polylock.spi.ReleaseSignals.SignalListener;
import io.polylock.spi.ReleaseSignals.Subscription;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/** Who listens for which lock: a release wakes one listener, and the next release another one. Thread-safe. */
final class MemorySignals {

    private final Map<String, Deque<Listening>> listeners = new HashMap<>();

    /** Compared by identity: one listener may listen twice. */
    private static final class Listening {
        private final Object client;
        private final SignalListener listener;

        Listening(Object client, SignalListener listener) {
            this.client = client;
            this.listener = listener;
        }
    }

    synchronized Subscription watch(String name, Object client, SignalListener listener) {
        Listening listening = new Listening(client, listener);
        listeners.computeIfAbsent(name, absent -> new ArrayDeque<>()).addLast(listening);
        return () -> forget(name, listening);
    }

    /** Wakes the next one in turn, and the client that released only if nobody else listens. */
    void released(String name, Object client) {
        Listening next;
        synchronized (this) {
            Deque<Listening> queue = listeners.get(name);
            if (queue == null) {
                return;
            }
            next = queue.stream()
                    .filter(listening -> listening.client != client)
                    .findFirst()
                    .orElseGet(queue::getFirst);
            queue.remove(next);
            queue.addLast(next);
        }
        next.listener.released();
    }

    private synchronized void forget(String name, Listening listening) {
        Deque<Listening> queue = listeners.get(name);
        if (queue != null) {
            queue.remove(listening);
            if (queue.isEmpty()) {
                listeners.remove(name);
            }
        }
    }
}
