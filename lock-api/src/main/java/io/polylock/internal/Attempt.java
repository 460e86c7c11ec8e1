// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.Lease;
import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.LockEvent.WokenBy;
import io.polylock.spi.Acquisition;
import io.polylock.spi.LockName;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import java.time.Duration;
import java.util.Optional;

/**
 * One request for a lock, and what follows from its answer: a lease, a refusal, or an undo. Each has an owner token of its
 * own, so that nothing that comes late can be taken for anything else. Thread-safe.
 */
final class Attempt {

    /** What an attempt led to. */
    sealed interface Answer {

        /** A lease that is in force. */
        record Got(Lease lease) implements Answer {}

        /** Another owner holds the lock. */
        record Busy(Optional<Duration> freeIn) implements Answer {}

        /** No proper answer; what may have been granted is being undone. */
        record Failed(LockBackendException failure) implements Answer {}
    }

    /**
     * Why one asks.
     *
     * @param sinceNanos since when the caller waits
     * @param wokenBy what made it ask now
     * @param run the manager's run that a grant would be part of
     */
    record Ask(long sinceNanos, WokenBy wokenBy, Run run) {}

    private final Parts parts;
    private final Grants grants;
    private final String label;

    Attempt(Parts parts, Grants grants, String label) {
        this.parts = parts;
        this.grants = grants;
        this.label = label;
    }

    /**
     * Asks once.
     *
     * @param bound how long that may take; never longer than the TTL
     */
    Answer make(LockName name, LockOptions options, Duration bound, Ask ask) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before asking for lock '" + name + "'");
        }
        Duration ttl = options.ttl();
        Duration answerWithin = bound.compareTo(ttl) < 0 ? bound : ttl;
        LockRequest request = new LockRequest(name, OwnerToken.random(), label, ttl, answerWithin);
        Validity validity = Validity.startingNow(parts.clock(), ttl, parts.numbers());
        Acquisition acquisition;
        try {
            acquisition = parts.backend().tryAcquire(request);
        } catch (LockBackendException e) {
            return failed(request, e);
        } catch (RuntimeException e) {
            return failed(
                    request,
                    new LockBackendException(
                            Outcome.UNKNOWN, "the backend failed while asked for lock '" + name + "'", e));
        } catch (Error e) {
            parts.undo().add(request);
            throw e;
        }
        if (acquisition instanceof Acquisition.Granted granted) {
            if (Thread.currentThread().isInterrupted()) {
                grants.giveBack(request);
                failIfInterrupted(name);
            }
            return grants.lease(request, granted, validity, options, ask);
        }
        failIfInterrupted(name);
        return new Answer.Busy(((Acquisition.Contended) acquisition).freeIn());
    }

    private Answer failed(LockRequest request, LockBackendException failure) throws InterruptedException {
        if (failure.outcome() == Outcome.UNKNOWN || parts.clientResends()) {
            parts.undo().add(request); // a client that resends may have been heard before the request that failed
        }
        if (Thread.interrupted()) {
            InterruptedException interrupted =
                    new InterruptedException("interrupted while asking for lock '" + request.name() + "'");
            interrupted.addSuppressed(failure);
            throw interrupted;
        }
        return new Answer.Failed(failure);
    }

    private static void failIfInterrupted(LockName name) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted while asking for lock '" + name + "'");
        }
    }
}
