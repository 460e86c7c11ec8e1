// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import io.polylock.LockEvent;
import io.polylock.LockListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A listener that writes down what it hears. Thread-safe. */
class Ear implements LockListener {

    private final List<LockEvent> events = new CopyOnWriteArrayList<>();

    List<LockEvent> all() {
        return List.copyOf(events);
    }

    <E extends LockEvent> List<E> all(Class<E> type) {
        return events.stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** How many calls found their lock taken; each of them that has time is in line by then. */
    int contended() {
        return all(LockEvent.Contended.class).size();
    }

    @Override
    public void acquired(LockEvent.Acquired event) {
        hear(event);
    }

    @Override
    public void contended(LockEvent.Contended event) {
        hear(event);
    }

    @Override
    public void timedOut(LockEvent.TimedOut event) {
        hear(event);
    }

    @Override
    public void renewed(LockEvent.Renewed event) {
        hear(event);
    }

    @Override
    public void lost(LockEvent.Lost event) {
        hear(event);
    }

    @Override
    public void released(LockEvent.Released event) {
        hear(event);
    }

    @Override
    public void undo(LockEvent.Undo event) {
        hear(event);
    }

    @Override
    public void signalGap(LockEvent.SignalGap event) {
        hear(event);
    }

    void hear(LockEvent event) {
        events.add(event);
    }
}
