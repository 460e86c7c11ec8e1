// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.Lease;
import io.polylock.spi.LockName;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Somebody in line for a lock. Its place is guarded by {@link Lines}; all else never changes. */
final class Waiter {

    /** Where a waiter is on its way to the lock. */
    enum Place {
        /** Waits its turn; asks the store if it is the first. */
        QUEUED,
        /** The lock is being handed over to it. */
        OFFERED,
        /** The hand-over succeeded: the lease is there to be taken. */
        ACCEPTED,
        /** It has what it wanted, or does not want it any more. */
        WITHDRAWN
    }

    private static final long LAST_LOOK_NANOS = Duration.ofMillis(50).toNanos();

    private final LockName name;
    private final LockOptions options;
    private final long startNanos;
    private final long waitNanos;
    private final Runnable wakeUp;

    Place place = Place.QUEUED;
    boolean hasAsked;
    boolean tookLastLook;
    private boolean lastLookPlanned;
    private long lastLookNanos;

    @Nullable
    Lease handedOver;

    Waiter(LockName name, LockOptions options, long startNanos, Duration wait, Runnable wakeUp) {
        this.name = name;
        this.options = options;
        this.startNanos = startNanos;
        this.waitNanos = Checks.saturatedNanos(wait);
        this.wakeUp = wakeUp;
    }

    LockName name() {
        return name;
    }

    LockOptions options() {
        return options;
    }

    long startNanos() {
        return startNanos;
    }

    boolean waitsNot() {
        return waitNanos == 0;
    }

    long waitedNanos(long nowNanos) {
        return nowNanos - startNanos;
    }

    long leftNanos(long nowNanos) {
        return waitNanos - waitedNanos(nowNanos);
    }

    /** Shortly before a wait ends, who holds the lock is looked up, and the store is asked once more if no signal would come. */
    long untilLastLook(long nowNanos) {
        long left = leftNanos(nowNanos);
        if (!lastLookPlanned) {
            lastLookPlanned = true;
            lastLookNanos = nowNanos + left - Math.min(LAST_LOOK_NANOS, left / 2);
        }
        return lastLookNanos - nowNanos;
    }

    /** Makes it look what has changed. Never blocks, and runs nothing of the application. */
    void wake() {
        wakeUp.run();
    }
}
