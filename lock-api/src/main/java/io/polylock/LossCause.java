// SPDX-License-Identifier: Apache-2.0
package io.polylock;

/** Why a lease ended before its holder released it. */
public enum LossCause {
    /** Its validity ran out and nothing was there to renew it, or the machine slept through it. */
    EXPIRED,
    /** The store says that another owner holds the lock. */
    TAKEN,
    /** The store has no record of the lease although its TTL was not over: an operator revoked it, or the store forgot. */
    REVOKED,
    /** Its validity ran out while the store did not answer the renewals. */
    UNREACHABLE,
    /** It was held for the longest time that {@link DistributedLock#withMaxHold} allows. */
    MAX_HOLD,
    /** The manager was closed and its grace was over. */
    CLOSED
}
