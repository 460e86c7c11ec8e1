// SPDX-License-Identifier: Apache-2.0
package io.polylock.spi;

import io.polylock.LockBackendException;
import java.time.Duration;
import java.util.Optional;

/**
 * One node of a quorum that issues fencing tokens. {@link #join} takes the lock on this node and mints a token;
 * {@link #confirm} makes one number the token of the whole quorum. Tokens are strictly increasing because a confirmed
 * number is stored on a majority, and every later majority meets one of those nodes.
 */
public non-sealed interface QuorumMember extends BackendFeature {

    /**
     * Phase 1: takes the lock on this node as {@link LockBackend#tryAcquire} does, and stores the token that it mints. The
     * lock also counts as free if it is the giver's, who hands it over.
     *
     * @param request who wants the lock
     * @param giver who hands it over, if anybody
     * @return {@link Vote.Joined} or {@link Acquisition.Contended}
     * @throws LockBackendException if there is no answer; the lock may be held if the outcome is UNKNOWN
     */
    Vote.Join join(LockRequest request, Optional<OwnerToken> giver);

    /**
     * Phase 2: makes {@code token} the stored one if the lock is still this owner's, the node remembers phase 1 (it is the
     * same incarnation, and a token is stored), the stored token is not larger, and {@code token} read as a time is not ahead
     * of this node's clock by more than {@code maxSkew}. A node that has forgotten cannot know whether another owner's
     * confirmation was among what it forgot. A stored token that is equal is this owner's own: a repeated request is answered
     * like the first.
     *
     * @param request who holds the lock
     * @param incarnation what this node called its memory in the answer to phase 1
     * @param token one more than the largest token of phase 1: positive, below 2^53
     * @param maxSkew how far the clocks of the nodes may be apart: not negative
     * @return {@link Vote.Confirmed} or {@link Vote.Refused}
     * @throws LockBackendException if there is no answer; the token may be stored if the outcome is UNKNOWN
     */
    Vote.Confirmation confirm(LockRequest request, String incarnation, long token, Duration maxSkew);
}
