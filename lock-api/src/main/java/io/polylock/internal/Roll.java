// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.spi.LockClock;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** Who is inside a manager: the leases that are held and the calls that are going on. Thread-safe. */
final class Roll {

    private final LockClock clock;
    private final LockClock.Pause closer;
    private final Set<ActiveLease> leases = new HashSet<>();
    private final Set<Call> calls = new HashSet<>();
    private boolean closing;

    /** A call that is going on. Compared by identity. */
    static final class Call {

        private final Runnable whenClosing;

        /** With what ends it when the manager closes. */
        Call(Runnable whenClosing) {
            this.whenClosing = whenClosing;
        }
    }

    Roll(LockClock clock) {
        this.clock = clock;
        this.closer = clock.newPause();
    }

    synchronized void enter(Call call) {
        requireOpen();
        calls.add(call);
    }

    synchronized void leave(Call call) {
        calls.remove(call);
        closer.wake();
    }

    synchronized void requireOpen() {
        if (closing) {
            throw closed();
        }
    }

    static IllegalStateException closed() {
        return new IllegalStateException("the lock manager is closed");
    }

    /** Takes a lease in; false if the manager is closing. */
    synchronized boolean admit(ActiveLease lease) {
        return !closing && leases.add(lease);
    }

    synchronized void over(ActiveLease lease) {
        leases.remove(lease);
        closer.wake();
    }

    synchronized List<ActiveLease> leases() {
        return List.copyOf(leases);
    }

    /** Refuses new calls and leases, and ends those who wait; false if that was done before. */
    boolean beginClosing() {
        List<Call> ongoing;
        synchronized (this) {
            if (closing) {
                return false;
            }
            closing = true;
            ongoing = List.copyOf(calls);
        }
        ongoing.forEach(call -> call.whenClosing.run());
        return true;
    }

    void awaitNoLeases(Duration longest) throws InterruptedException {
        await(leases::isEmpty, longest);
    }

    void awaitNoCalls(Duration longest) throws InterruptedException {
        await(calls::isEmpty, longest);
    }

    private void await(BooleanSupplier done, Duration longest) throws InterruptedException {
        long start = clock.nanoTime();
        long bound = Checks.saturatedNanos(longest);
        while (true) {
            synchronized (this) {
                if (done.getAsBoolean()) {
                    return;
                }
            }
            long left = bound - (clock.nanoTime() - start);
            if (left <= 0) {
                return;
            }
            closer.await(Duration.ofNanos(left));
        }
    }
}
