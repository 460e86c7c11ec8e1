// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.LossCause;
import io.polylock.spi.LockClock;
import java.time.Duration;
import java.util.Optional;

/** For how long a lease may be relied on: while it is valid, and not beyond its maximum hold. Guarded by {@link ActiveLease}. */
final class Term {

    private final LockClock clock;
    private final long acquiredNanos;
    private final long maxHoldNanos;
    private Validity validity;
    private boolean storeSilent;

    Term(LockClock clock, Validity granted, Optional<Duration> maxHold) {
        this.clock = clock;
        this.acquiredNanos = granted.startNanos();
        this.maxHoldNanos = maxHold.map(Checks::saturatedNanos).orElse(Long.MAX_VALUE);
        this.validity = granted;
    }

    /** The store was asked to renew and has not answered. */
    void storeAsked() {
        storeSilent = true;
    }

    /** The store renewed. */
    void confirmed(Validity renewed) {
        validity = renewed;
        storeSilent = false;
    }

    /** What a holder may be told: less than the monotonic clock says if that has missed time. */
    Duration remaining() {
        return validity.sleptThrough(clock)
                ? Duration.ZERO
                : Duration.ofNanos(Math.max(0, remainingNanos() - validity.unseenNanos(clock)));
    }

    /** What is left by the monotonic clock. */
    long remainingNanos() {
        long now = clock.nanoTime();
        return Math.min(validity.remainingNanos(now), leftOfMaxHold(now));
    }

    /** What is left of the validity alone. */
    long marginNanos() {
        return Math.max(0, validity.remainingNanos(clock.nanoTime()) - validity.unseenNanos(clock));
    }

    /** Since the request that was granted. */
    long heldNanos() {
        return clock.nanoTime() - acquiredNanos;
    }

    /** Why the lease is lost, if its time is up by the monotonic clock. */
    Optional<LossCause> whyOver() {
        long now = clock.nanoTime();
        if (leftOfMaxHold(now) <= 0) {
            return Optional.of(LossCause.MAX_HOLD);
        }
        if (validity.remainingNanos(now) <= 0) {
            return Optional.of(storeSilent ? LossCause.UNREACHABLE : LossCause.EXPIRED);
        }
        return Optional.empty();
    }

    /** Whether the store may have ended the lease by itself, as far as any clock can tell. */
    boolean mayBeOver() {
        return remainingNanos() <= 0 || validity.sleptThrough(clock);
    }

    private long leftOfMaxHold(long now) {
        return maxHoldNanos - (now - acquiredNanos);
    }
}
