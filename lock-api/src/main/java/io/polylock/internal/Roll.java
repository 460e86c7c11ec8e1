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
    private final Set<LockClock.Pause> calls = new HashSet<>();
    private boolean closing;

    Roll(LockClock clock) {
        this.clock = clock;
        this.closer = clock.newPause();
    }

    /** Begins a call; it waits in the pause, which closing wakes. */
    synchronized LockClock.Pause enter() {
        requireOpen();
        LockClock.Pause pause = clock.newPause();
        calls.add(pause);
        return pause;
    }

    synchronized void leave(LockClock.Pause pause) {
        calls.remove(pause);
        closer.wake();
    }

    synchronized void requireOpen() {
        if (closing) {
            throw new IllegalStateException("the lock manager is closed");
        }
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

    /** Refuses new calls and leases, and wakes those who wait; false if that was done before. */
    synchronized boolean beginClosing() {
        if (closing) {
            return false;
        }
        closing = true;
        calls.forEach(LockClock.Pause::wake);
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
