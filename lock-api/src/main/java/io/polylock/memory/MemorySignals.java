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

    private final Map<String, Deque<SignalListener>> listeners = new HashMap<>();

    synchronized Subscription watch(String name, SignalListener listener) {
        listeners.computeIfAbsent(name, absent -> new ArrayDeque<>()).addLast(listener);
        return () -> forget(name, listener);
    }

    void released(String name) {
        SignalListener next;
        synchronized (this) {
            Deque<SignalListener> queue = listeners.get(name);
            if (queue == null) {
                return;
            }
            next = queue.removeFirst();
            queue.addLast(next);
        }
        next.released();
    }

    private synchronized void forget(String name, SignalListener listener) {
        Deque<SignalListener> queue = listeners.get(name);
        if (queue != null) {
            queue.remove(listener);
            if (queue.isEmpty()) {
                listeners.remove(name);
            }
        }
    }
}
