// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

/**
 * A time in which a worker honestly believed to hold the lock: from the return of its acquire until it released, was told of
 * the loss, or the end of the validity that it knew of, whichever was first.
 *
 * @param worker its number, from 1
 * @param token the fencing token; 0 if the backend issues none
 * @param fromNanos when it began, by a clock that all workers share
 * @param untilNanos when it ended; not in it
 */
record Hold(int worker, long token, long fromNanos, long untilNanos) {

    /** Whether there was a moment of it: a grant that reached a starved worker too late to be held has none. */
    boolean lasted() {
        return untilNanos > fromNanos;
    }

    /** For how long both believed to hold; not positive if they did not. */
    long sharedNanos(Hold other) {
        return Math.min(untilNanos, other.untilNanos) - Math.max(fromNanos, other.fromNanos);
    }
}
