// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import java.time.Duration;

/**
 * The numbers of the engine, in one place; the guarantees page has the same table.
 *
 * @param driftPermille drift: thousandths of the TTL
 * @param driftFixed drift: what comes on top
 * @param renewalsPerTtl a lease is renewed after TTL divided by this
 * @param renewalJitter how much earlier than that a renewal may start, as a fraction of the interval, to share a request
 * @param retriesPerTtl after a failure a renewal is tried again after TTL divided by this, at most {@link #retryCeiling}
 * @param retryCeiling see retriesPerTtl
 * @param firstPoll the first pause of a waiter
 * @param pollCeiling the longest pause of a waiter that no signal wakes
 * @param safetyPoll the longest pause of a waiter that signals, or a release in its own manager, wake
 * @param pollJitter how far a pause may be off, as a fraction
 * @param undoBackoff the first pause of an undo that was not answered; doubled up to {@link #undoCeiling}
 * @param undoCeiling see undoBackoff
 * @param undoCapacity how many undos may be outstanding
 * @param longestRun how often in a row a lock is handed over within a manager
 * @param longestRunTime for how long, from the first hand-over on
 * @param sitOut how long a manager then leaves the lock to others, if the store does not signal
 * @param callbackThreads how many loss actions run at the same time, and how many futures are completed
 * @param headThreads how many asynchronous waiters ask at the same time
 * @param renewalThreads how many renewals run at the same time, of those with bounds alike, if each is a request of its own
 * @param renewalBatch how many leases may share a renewal request
 * @param batchThreads how many such requests run at the same time
 */
public record Numbers(
        int driftPermille,
        Duration driftFixed,
        int renewalsPerTtl,
        double renewalJitter,
        int retriesPerTtl,
        Duration retryCeiling,
        Duration firstPoll,
        Duration pollCeiling,
        Duration safetyPoll,
        double pollJitter,
        Duration undoBackoff,
        Duration undoCeiling,
        int undoCapacity,
        int longestRun,
        Duration longestRunTime,
        Duration sitOut,
        int callbackThreads,
        int headThreads,
        int renewalThreads,
        int renewalBatch,
        int batchThreads) {

    /** What every manager uses. */
    public static final Numbers DEFAULTS = new Numbers(
            10,
            Duration.ofMillis(2),
            3,
            0.1,
            10,
            Duration.ofSeconds(1),
            Duration.ofMillis(10),
            Duration.ofSeconds(1),
            Duration.ofSeconds(5),
            0.2,
            Duration.ofMillis(50),
            Duration.ofSeconds(2),
            1_024,
            16,
            Duration.ofMillis(50),
            Duration.ofMillis(5),
            2,
            8,
            4,
            256,
            2);

    /** The allowance for clocks that run at different rates, in nanoseconds, rounded up. */
    long driftNanos(Duration ttl) {
        return -Math.floorDiv(-ttl.toNanos() * driftPermille, 1_000) + driftFixed.toNanos();
    }
}
