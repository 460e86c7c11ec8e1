// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.internal.Attempt.Answer;
import io.polylock.spi.Acquisition;
import io.polylock.spi.LockRequest;
import java.lang.System.Logger.Level;
import java.time.Duration;

/** Makes leases of grants, and gives back the grants that nobody gets. Thread-safe. */
final class Grants {

    private final Parts parts;
    private final Roll roll;
    private final Lines lines;
    private final Succession succession;

    Grants(Parts parts, Roll roll, Lines lines) {
        this.parts = parts;
        this.roll = roll;
        this.lines = lines;
        this.succession = new Succession(parts, roll, lines, this);
    }

    /**
     * A lease that is in force; or a failure, if the grant came too late.
     *
     * @param validity counted from before the request was sent
     * @throws IllegalStateException if the manager is closing; the grant is given back
     */
    Answer lease(
            LockRequest request, Acquisition.Granted granted, Validity validity, LockOptions options, Attempt.Ask ask) {
        ActiveLease lease = new ActiveLease(
                parts, request, granted.fencingToken(), validity, options.maxHold(), ask.run(), succession);
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
        lines.admitted(lease);
        try {
            LeaseHandle handle = new LeaseHandle(lease);
            // before anything can renew or lose it: listeners hear in order
            long waitedNanos = parts.clock().nanoTime() - ask.sinceNanos();
            parts.observers().acquired(request.name(), waitedNanos, ask.wokenBy(), granted.fencingToken());
            lease.watchExpiry();
            if (options.renewal() == LockOptions.Renewal.AUTOMATIC) {
                parts.renewals().plan(lease);
            }
            return new Answer.Got(handle);
        } catch (RuntimeException | Error noTimer) {
            giveBack(request);
            succession.over(lease);
            throw noTimer;
        }
    }

    /** Releases a grant that nobody gets. */
    void giveBack(LockRequest request) {
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
