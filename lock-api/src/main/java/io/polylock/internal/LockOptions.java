// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How one lock is to be held. Combinations are checked when the lock is used, so that the order of the calls that set them
 * does not matter.
 */
public record LockOptions(Duration ttl, Renewal renewal, Optional<Duration> maxHold, Duration minValidity) {

    /** Who keeps a lease alive. */
    public enum Renewal {
        /** The manager, every third of the TTL. */
        AUTOMATIC,
        /** Nobody: the lease ends with its TTL. */
        NONE
    }

    public static final LockOptions DEFAULTS =
            new LockOptions(Duration.ofSeconds(30), Renewal.AUTOMATIC, Optional.empty(), Duration.ZERO);

    public LockOptions {
        Checks.ttl(ttl);
        Objects.requireNonNull(renewal, "renewal");
        Checks.notNegative("minimum validity", minValidity);
        maxHold.ifPresent(longest -> {
            if (longest.isNegative() || longest.isZero()) {
                throw new IllegalArgumentException("the maximum hold must be positive but was " + longest);
            }
        });
    }

    public LockOptions withTtl(Duration newTtl) {
        return new LockOptions(newTtl, renewal, maxHold, minValidity);
    }

    public LockOptions withRenewal(Renewal newRenewal) {
        return new LockOptions(ttl, newRenewal, maxHold, minValidity);
    }

    public LockOptions withMaxHold(Duration longest) {
        return new LockOptions(ttl, renewal, Optional.of(longest), minValidity);
    }

    public LockOptions withMinValidity(Duration least) {
        return new LockOptions(ttl, renewal, maxHold, least);
    }

    /** Refuses what could never be granted. */
    void checkTogether(Numbers numbers) {
        if (renewal == Renewal.AUTOMATIC && ttl.compareTo(Checks.SMALLEST_RENEWED_TTL) < 0) {
            throw new IllegalArgumentException("a TTL with renewal must be at least " + Checks.SMALLEST_RENEWED_TTL
                    + " but was " + ttl + "; withoutRenewal() allows less");
        }
        Duration valid = ttl.minusNanos(numbers.driftNanos(ttl));
        Duration longest = maxHold.filter(hold -> hold.compareTo(valid) < 0).orElse(valid);
        if (minValidity.compareTo(longest) > 0) {
            throw new IllegalArgumentException("a minimum validity of " + minValidity
                    + " can never be had: with a TTL of " + ttl
                    + maxHold.map(hold -> " and a maximum hold of " + hold).orElse("") + " it is at most " + longest);
        }
    }
}
