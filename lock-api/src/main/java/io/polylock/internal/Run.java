// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

/**
 * How long a manager has kept a lock to itself: how many grants in a row, and since when. Ends when another owner was seen or
 * could have come in.
 */
record Run(int grants, long sinceNanos) {

    static Run startingAt(long nowNanos) {
        return new Run(1, nowNanos);
    }

    Run next() {
        return new Run(grants + 1, sinceNanos);
    }

    /** Whether the next grant may still be for somebody of this manager. */
    boolean goesOn(long nowNanos, Numbers numbers) {
        return grants <= numbers.longestRun()
                && nowNanos - sinceNanos < numbers.longestRunTime().toNanos();
    }
}
