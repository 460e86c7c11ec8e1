// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import java.time.Duration;

/** The moment by which a request must have ended, by the monotonic clock. */
record Deadline(long nanos) {

    private static final long NANOS_PER_MILLI = 1_000_000;

    static Deadline in(Duration time) {
        return new Deadline(System.nanoTime() + time.toNanos());
    }

    long leftNanos() {
        return Math.max(0, nanos - System.nanoTime());
    }

    boolean isOver() {
        return leftNanos() == 0;
    }

    /** What is left, rounded up, as sockets want it: never 0 before time is up, because 0 means for ever to them. */
    int leftMillis() {
        return (int) Math.min(Integer.MAX_VALUE, (leftNanos() + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI);
    }
}
