// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.LockEvent;
import io.polylock.LockListener;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Writes down what it hears, and on which threads. */
final class Heard implements LockListener {

    final List<LockEvent> events = new CopyOnWriteArrayList<>();
    final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    private void add(LockEvent event) {
        threads.add(Thread.currentThread());
        events.add(event);
    }

    <E extends LockEvent> List<E> only(Class<E> type) {
        return events.stream().filter(type::isInstance).map(type::cast).toList();
    }

    @Override
    public void acquired(LockEvent.Acquired event) {
        add(event);
    }

    @Override
    public void contended(LockEvent.Contended event) {
        add(event);
    }

    @Override
    public void timedOut(LockEvent.TimedOut event) {
        add(event);
    }

    @Override
    public void renewed(LockEvent.Renewed event) {
        add(event);
    }

    @Override
    public void lost(LockEvent.Lost event) {
        add(event);
    }

    @Override
    public void released(LockEvent.Released event) {
        add(event);
    }

    @Override
    public void undo(LockEvent.Undo event) {
        add(event);
    }

    @Override
    public void signalGap(LockEvent.SignalGap event) {
        add(event);
    }
}
