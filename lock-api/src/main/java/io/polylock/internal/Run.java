// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

/**
 * How long a manager has passed a lock on among its own waiters: how often in a row, and since when. Over when another owner
 * was seen or could have come in.
 */
record Run(int passes, long sinceNanos) {

    /** Before the lock was passed on for the first time. */
    static final Run NONE = new Run(0, 0);

    Run next(long nowNanos) {
        return new Run(passes + 1, passes == 0 ? nowNanos : sinceNanos);
    }

    /** Whether the lock may be passed on once more. */
    boolean goesOn(long nowNanos, Numbers numbers) {
        boolean bounded = passes < numbers.longestRun()
                && nowNanos - sinceNanos < numbers.longestRunTime().toNanos();
        return passes == 0 || bounded;
    }
}
