// SPDX-License-Identifier: Apache-2.0
package io.polylock.spi;

import io.polylock.LockBackendException;

/** Passing a lock from its holder to a successor in one atomic step, so that nobody gets in between. */
public non-sealed interface Handover extends BackendFeature {

    /**
     * Makes the lock the heir's, for the heir's TTL and with a new fencing token, if it is the giver's; changes nothing
     * otherwise (HND-1, HND-2). Asked again after it was done, it is answered like the first time (HND-3).
     *
     * @param giver who holds the lock
     * @param heir who gets it; its {@link LockRequest#answerWithin()} bounds the call
     * @return granted to the heir; contended if the lock was not the giver's
     * @throws LockBackendException if there is no answer; either may hold the lock if the outcome is UNKNOWN
     */
    Acquisition handOver(OwnerToken giver, LockRequest heir);
}
