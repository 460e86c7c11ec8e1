// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.spi.LockClock;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What is to be done when, for all leases of one manager, over one timer. The timer is set anew only for what comes earlier:
 * what is cancelled leaves it alone, so that leases which come and go disturb no thread. Thread-safe; no task runs under its
 * monitor.
 */
final class Agenda {

    private final LockClock clock;
    private final LockClock.Workers workers;
    private final TreeSet<Entry> entries = new TreeSet<>();
    private long sequence;
    private @Nullable Timer timer;

    private record Entry(long dueNanos, long sequence, Runnable task) implements Comparable<Entry> {

        @Override
        public int compareTo(Entry other) {
            return dueNanos != other.dueNanos
                    ? Long.signum(dueNanos - other.dueNanos)
                    : Long.compare(sequence, other.sequence);
        }
    }

    private record Timer(long dueNanos, LockClock.Scheduled scheduled) {}

    Agenda(LockClock clock, LockClock.Workers workers) {
        this.clock = clock;
        this.workers = workers;
    }

    /** As {@link LockClock.Workers#after}; if it throws, nothing was added. */
    synchronized LockClock.Scheduled after(Duration delay, Runnable task) {
        Entry entry = new Entry(clock.nanoTime() + delay.toNanos(), sequence++, task);
        entries.add(entry);
        try {
            setTimer();
        } catch (RuntimeException | Error noTimer) {
            entries.remove(entry);
            throw noTimer;
        }
        return () -> cancel(entry);
    }

    synchronized int size() {
        return entries.size();
    }

    private synchronized void cancel(Entry entry) {
        entries.remove(entry);
    }

    private synchronized void setTimer() {
        if (entries.isEmpty()) {
            return;
        }
        long due = entries.first().dueNanos;
        @Nullable Timer before = timer;
        if (before != null && before.dueNanos - due <= 0) {
            return;
        }
        timer = new Timer(due, workers.after(Duration.ofNanos(due - clock.nanoTime()), () -> ring(due)));
        if (before != null) {
            before.scheduled.cancel();
        }
    }

    /** Early or late, twice or for nothing: what is due is done, and the timer is set for the rest. */
    private void ring(long due) {
        synchronized (this) {
            if (timer != null && timer.dueNanos == due) {
                timer = null;
            }
        }
        long now = clock.nanoTime();
        for (Entry next = takeDue(now); next != null; next = takeDue(now)) {
            run(next.task);
        }
        setTimer();
    }

    private synchronized @Nullable Entry takeDue(long now) {
        return entries.isEmpty() || entries.first().dueNanos - now > 0 ? null : entries.pollFirst();
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            Log.quietly(Level.WARNING, () -> "a task of the timer failed", e);
        }
    }
}
