// SPDX-License-Identifier: Apache-2.0
package io.polylock.spi;

import io.polylock.LockBackendException;
import java.util.Optional;

/**
 * One client of one store. A backend answers, once: each operation is one atomic step on one expiring record, in one round
 * trip. It never sleeps, repeats a request, remembers who owns what, or turns a missing answer into "no"; the engine waits,
 * renews and judges time. The rules in capital letters are those of the specification, and the test kit tests them. All
 * implementations MUST be thread-safe.
 *
 * <p>Each operation throws {@link LockBackendException} if it has no answer within {@link LockRequest#answerWithin()}: with
 * {@link LockBackendException.Outcome#UNKNOWN UNKNOWN} unless it is certain that nothing was changed.
 */
public interface LockBackend extends AutoCloseable {

    /**
     * Takes the lock if nobody holds it (ACQ-1), for {@link LockRequest#ttl()} by the store's clock (EXP-1). The same owner
     * asking again is answered like the first time: granted, with the same fencing token, its expiry restarted (ACQ-4).
     *
     * @param request who wants which lock
     * @return granted, or contended
     * @throws LockBackendException if there is no answer; the lock may be held if the outcome is UNKNOWN
     */
    Acquisition tryAcquire(LockRequest request);

    /**
     * Restarts the TTL if the lock is this owner's, never bringing its end nearer (REN-1, REN-4).
     *
     * @param request who holds which lock
     * @return HELD if it was renewed
     * @throws LockBackendException if there is no answer; the expiry may have been restarted if the outcome is UNKNOWN
     */
    Ownership renew(LockRequest request);

    /**
     * Frees the lock if it is this owner's (REL-1, REL-2).
     *
     * @param request who holds which lock
     * @return HELD if it was freed
     * @throws LockBackendException if there is no answer; the lock may be free if the outcome is UNKNOWN
     */
    Ownership release(LockRequest request);

    /**
     * What the store can do beyond the three operations.
     *
     * @param type the feature
     * @param <F> the feature
     * @return its implementation, the same for the whole life of the backend; empty if the store cannot do it
     */
    default <F extends BackendFeature> Optional<F> feature(Class<F> type) {
        return Optional.empty();
    }

    /**
     * Ends the backend with all threads and connections of its own; a client that was passed in stays open. Changes nothing
     * in the store. A second call does nothing; operations after it throw {@link IllegalStateException}.
     */
    @Override
    void close();
}
