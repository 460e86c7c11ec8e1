// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.spi.LockClock;
import java.time.Duration;

/**
 * How long a holder may rely on a grant or renewal: from the moment before the request was sent until TTL minus drift later,
 * by the monotonic clock; and only while the wall clock has not run ahead of it, as it does when a machine sleeps.
 *
 * <p>Source: <a href="https://redis.io/docs/latest/develop/use/patterns/distributed-locks/">Redlock</a>, step 3.
 */
record Validity(long startNanos, long startMicros, long lengthNanos, long driftNanos) {

    /** To be called before the request is sent. */
    static Validity startingNow(LockClock clock, Duration ttl, Numbers numbers) {
        long drift = numbers.driftNanos(ttl);
        return new Validity(clock.nanoTime(), clock.epochMicros(), ttl.toNanos() - drift, drift);
    }

    long remainingNanos(long nowNanos) {
        return lengthNanos - (nowNanos - startNanos);
    }

    /** Whether the machine slept: the wall clock saw more time pass than the monotonic one, beyond drift. */
    boolean sleptThrough(LockClock clock) {
        return wallAheadMicros(clock) > driftNanos / 1_000;
    }

    /** The time that only the wall clock saw. Drift allows for the clocks' rates, so this comes off the validity as well. */
    long unseenNanos(LockClock clock) {
        long beyondReading = wallAheadMicros(clock) - 1; // two readings cut to whole microseconds differ by one
        return Math.max(0, beyondReading) * 1_000;
    }

    private long wallAheadMicros(LockClock clock) {
        long wallMicros = clock.epochMicros() - startMicros; // read first: a pause in between is then no sleep
        long monotonicMicros = (clock.nanoTime() - startNanos) / 1_000;
        return wallMicros - monotonicMicros;
    }
}
