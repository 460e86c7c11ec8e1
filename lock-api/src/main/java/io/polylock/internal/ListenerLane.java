// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.LockListener;
import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/** One listener's way to hear: in order, on a thread of its own, and never more than so many events behind. Thread-safe. */
final class ListenerLane {

    /** How many events may wait for one listener. */
    static final int CAPACITY = 1_024;

    private final LockListener listener;
    private final Executor thread;
    private int outstanding;
    private long dropped;

    /** @param thread runs its tasks in order, one at a time */
    ListenerLane(LockListener listener, Executor thread) {
        this.listener = listener;
        this.thread = thread;
    }

    void tell(Consumer<LockListener> event) {
        if (!takePlace()) {
            return;
        }
        try {
            thread.execute(() -> deliver(event));
        } catch (RejectedExecutionException managerClosed) {
            logDropped(freePlace());
        } catch (RuntimeException | Error noThread) {
            drop();
            logDropped(freePlace());
        }
    }

    /** To be called when nothing is delivered any more. */
    void close() {
        logDropped(forgetDropped());
    }

    private synchronized boolean takePlace() {
        if (outstanding >= CAPACITY) {
            dropped++;
            return false;
        }
        outstanding++;
        return true;
    }

    private synchronized void drop() {
        dropped++;
    }

    private void deliver(Consumer<LockListener> event) {
        try {
            event.accept(listener);
        } catch (Throwable e) { // also what is checked: a listener need not be written in Java
            Log.quietly(Level.WARNING, () -> "a listener failed: " + name(), e);
        } finally {
            logDropped(freePlace());
        }
    }

    /** How many events were dropped, once the listener has caught up. */
    private synchronized long freePlace() {
        outstanding--;
        return outstanding == 0 ? forgetDropped() : 0;
    }

    private synchronized long forgetDropped() {
        long count = dropped;
        dropped = 0;
        return count;
    }

    private void logDropped(long count) {
        if (count > 0) {
            Log.quietly(
                    Level.WARNING,
                    () -> count + " events were dropped because more than " + CAPACITY
                            + " waited for a listener, or no thread could be had for it: " + name());
        }
    }

    private String name() {
        return listener.getClass().getName();
    }
}
