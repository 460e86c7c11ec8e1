// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import io.polylock.spi.ReleaseSignals.SignalListener;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Which locks this backend listens for, and which signals of them have come to nothing yet. Thread-safe. */
final class Watches {

    private final Map<String, Watch> watches = new HashMap<>();
    private long signals;

    /** One listening. Compared by identity: a listener may listen twice. */
    static final class Listening {

        private final String lock;
        private final SignalListener listener;
        private final AtomicBoolean ended = new AtomicBoolean();

        private Listening(String lock, SignalListener listener) {
            this.lock = lock;
            this.listener = listener;
        }

        /** Tells the listener, whose failures are its own. */
        void tell(Consumer<SignalListener> what) {
            if (ended.get()) {
                return;
            }
            try {
                what.accept(listener);
            } catch (RuntimeException | Error e) {
                Log.quietly(Level.WARNING, "a listener for the release of a lock failed", e);
            }
        }
    }

    /**
     * What is known of one lock. Signals are counted so that one that comes during a request is not taken for answered; all
     * together, so that a late answer means nothing to a listening that began after it was asked for.
     */
    private static final class Watch {
        private final List<Listening> listeners = new ArrayList<>();
        private long heard;
        private long answered;
    }

    /** The number of the last signal for a lock that had come before a request was sent, and whether one of them was still open. */
    record Standing(long heard, boolean signalled) {}

    Listening add(String lock, SignalListener listener) {
        Listening listening = new Listening(lock, listener);
        synchronized (this) {
            watches.computeIfAbsent(lock, absent -> new Watch()).listeners.add(listening);
        }
        return listening;
    }

    /** Ends a listening; true if it was the lock's last one and a signal has come that nobody followed. */
    boolean removedUnanswered(Listening listening) {
        if (!listening.ended.compareAndSet(false, true)) {
            return false;
        }
        synchronized (this) {
            Watch watch = watches.get(listening.lock);
            if (watch == null || !watch.listeners.remove(listening) || !watch.listeners.isEmpty()) {
                return false;
            }
            watches.remove(listening.lock);
            return watch.heard > watch.answered;
        }
    }

    /** Tells those who listen for a lock that it may be free; false if nobody does. */
    boolean heard(String lock) {
        List<Listening> listeners;
        synchronized (this) {
            Watch watch = watches.get(lock);
            if (watch == null) {
                return false;
            }
            watch.heard = ++signals;
            listeners = List.copyOf(watch.listeners);
        }
        listeners.forEach(each -> each.tell(SignalListener::released));
        return true;
    }

    /** Tells everybody that signals may have been missed. */
    void gap() {
        List<Listening> all = new ArrayList<>();
        synchronized (this) {
            watches.values().forEach(watch -> all.addAll(watch.listeners));
        }
        all.forEach(each -> each.tell(SignalListener::gap));
    }

    synchronized boolean isEmpty() {
        return watches.isEmpty();
    }

    /** Where we stand before a request for a lock; empty if nobody here listens for it. */
    synchronized Optional<Standing> standing(String lock) {
        return Optional.ofNullable(watches.get(lock))
                .map(watch -> new Standing(watch.heard, watch.heard > watch.answered));
    }

    /** A request for a lock was answered: the signals before it have done what they were for. */
    synchronized void answered(String lock, Standing before) {
        Watch watch = watches.get(lock);
        if (watch != null) {
            watch.answered = Math.max(watch.answered, before.heard);
        }
    }
}
