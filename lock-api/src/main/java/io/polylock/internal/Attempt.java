// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.Lease;
import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.spi.Acquisition;
import io.polylock.spi.LockName;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import java.lang.System.Logger.Level;
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

    private final Parts parts;
    private final Roll roll;
    private final String label;

    Attempt(Parts parts, Roll roll, String label) {
        this.parts = parts;
        this.roll = roll;
        this.label = label;
    }

    Answer make(LockName name, LockOptions options, Duration bound) throws InterruptedException {
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
            return granted(request, granted, validity, options);
        }
        failIfInterrupted(name);
        return new Answer.Busy(((Acquisition.Contended) acquisition).freeIn());
    }

    private Answer granted(LockRequest request, Acquisition.Granted granted, Validity validity, LockOptions options)
            throws InterruptedException {
        if (Thread.currentThread().isInterrupted()) {
            giveBack(request);
            failIfInterrupted(request.name());
        }
        ActiveLease lease =
                new ActiveLease(parts, request, granted.fencingToken(), validity, options.maxHold(), roll::over);
        Duration left = lease.remaining();
        if (left.isZero() || left.compareTo(options.minValidity()) < 0) {
            giveBack(request);
            return new Answer.Failed(new LockBackendException(
                    Outcome.NOT_APPLIED,
                    "lock '" + request.name() + "' was granted so late that only " + left
                            + " of its validity was left; it is given back"));
        }
        if (!roll.admit(lease)) {
            giveBack(request);
            roll.requireOpen();
        }
        try {
            LeaseHandle handle = new LeaseHandle(lease);
            lease.watchExpiry();
            if (options.renewal() == LockOptions.Renewal.AUTOMATIC) {
                parts.renewals().plan(lease);
            }
            return new Answer.Got(handle);
        } catch (RuntimeException | Error noTimer) {
            roll.over(lease);
            giveBack(request);
            throw noTimer;
        }
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

    /** Releases a grant that nobody gets. */
    private void giveBack(LockRequest request) {
        Interrupts.shield(() -> {
            try {
                return parts.backend().release(request.withAnswerWithin(parts.answerWithin()));
            } catch (RuntimeException | Error e) {
                Log.quietly(Level.DEBUG, () -> "giving lock '" + request.name() + "' back failed; it is undone", e);
                parts.undo().add(request);
                return null;
            }
        });
    }
}
