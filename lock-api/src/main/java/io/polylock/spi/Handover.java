// SPDX-License-Identifier: Apache-2.0
package io.polylock.spi;

import io.polylock.LockBackendException;

/** Passing a lock from its holder to a successor in one atomic step, so that nobody gets in between. */
public non-sealed interface Handover extends BackendFeature {

    /**
     * Makes the lock {@code to}'s, for {@code to}'s TTL and with a new fencing token, if it is {@code from}'s; changes nothing
     * otherwise (HND-1). Asked again after it was done, it is answered like the first time.
     *
     * @param from who holds the lock
     * @param to who gets it; the same lock, another owner
     * @return granted to {@code to}; contended if the lock was not {@code from}'s
     * @throws LockBackendException if there is no answer; either may hold the lock if the outcome is UNKNOWN
     */
    Acquisition handOver(LockRequest from, LockRequest to);
}
