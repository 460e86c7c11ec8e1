// SPDX-License-Identifier: Apache-2.0
package io.polylock.spi;

import io.polylock.LockBackendException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Looking at locks, and taking them away, for operators. */
public non-sealed interface Inspection extends BackendFeature {

    /** The largest limit of a page. */
    int LARGEST_PAGE = 1_000;

    /**
     * Who holds a lock.
     *
     * @param name which lock
     * @param answerWithin the bound for the answer: positive
     * @return the holder; empty if the lock is free
     * @throws LockBackendException if there is no answer
     */
    Optional<Holder> inspect(LockName name, Duration answerWithin);

    /**
     * The locks that are held. A lock that is taken or freed during a walk may or may not be seen; one that is held for the
     * whole walk is seen, perhaps twice.
     *
     * @param after where to go on: {@link Page#next()} of the page before; empty for the first page
     * @param limit about how many: 1 to {@link #LARGEST_PAGE}
     * @param answerWithin the bound for the answer: positive
     * @return a page
     * @throws LockBackendException if there is no answer
     */
    Page list(Optional<String> after, int limit, Duration answerWithin);

    /**
     * Takes a lock away from its holder, whoever that is. The fencing counter stays, so that a later grant has a larger
     * token. The holder learns of it at its next renewal.
     *
     * @param name which lock
     * @param answerWithin the bound for the answer: positive
     * @return who held it; empty if it was free
     * @throws LockBackendException if there is no answer; the lock may have been freed if the outcome is UNKNOWN
     */
    Optional<Holder> revoke(LockName name, Duration answerWithin);

    /**
     * Some of the locks that are held.
     *
     * @param holders who holds them
     * @param next how to ask for the next page; empty on the last one
     */
    record Page(List<Holder> holders, Optional<String> next) {

        /** Copies the list. */
        public Page {
            holders = List.copyOf(holders);
            Objects.requireNonNull(next, "next");
        }
    }
}
