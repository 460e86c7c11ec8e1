// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.LockEvent.WokenBy;
import io.polylock.ReleaseOutcome;
import io.polylock.internal.Attempt.Answer;
import io.polylock.spi.Acquisition;
import io.polylock.spi.Handover;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import io.polylock.spi.Ownership;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;

/**
 * Who has a lock after a lease of this manager. The store passes it to the first in line here, the heir, in the step that ends
 * the lease, for a bounded run; else it is released. Thread-safe.
 *
 * <ol>
 *   <li>QUEUED: the first in line, unless it has a request of its own on its way.
 *   <li>OFFERED: a hand-over to a fresh owner token of the heir is on its way. Its validity counts from before that.
 *   <li>ACCEPTED: the store granted, and the heir still wants it. If not, it is WITHDRAWN, and the lease is released, which
 *       may hand it over again.
 *   <li>QUEUED again, if there was no grant. After an unknown outcome the giver is undone until that is answered, then the heir's
 *       token; the heir tries again under another one.
 * </ol>
 */
final class Succession {

    private final Parts parts;
    private final Roll roll;
    private final Lines lines;
    private final Grants grants;
    private final Optional<Handover> handover;

    Succession(Parts parts, Roll roll, Lines lines, Grants grants) {
        this.parts = parts;
        this.roll = roll;
        this.lines = lines;
        this.grants = grants;
        this.handover = parts.backend().feature(Handover.class);
    }

    /** Ends a lease in the store; what was found of it there. */
    Ownership release(ActiveLease giver) {
        Optional<Waiter> heir = handover.isPresent() && giver.mayBeHandedOver() ? lines.offer(giver) : Optional.empty();
        return heir.isPresent()
                ? handOver(handover.get(), giver, heir.get())
                : parts.backend().release(giver.request().withAnswerWithin(parts.answerWithin()));
    }

    /** A lease is over, one way or another. */
    void over(ActiveLease lease) {
        roll.over(lease);
        lines.over(lease);
    }

    private Ownership handOver(Handover store, ActiveLease giver, Waiter heir) {
        Duration ttl = heir.options().ttl();
        Duration bound = parts.answerWithin().compareTo(ttl) < 0 ? parts.answerWithin() : ttl;
        LockRequest request = new LockRequest(
                heir.name(), OwnerToken.random(), giver.request().label(), ttl, bound);
        Validity validity = Validity.startingNow(parts.clock(), ttl, parts.numbers());
        Acquisition acquisition;
        try {
            acquisition = store.handOver(giver.request().owner(), request);
        } catch (RuntimeException | Error e) {
            lines.declined(heir);
            if (mayBeDone(e)) {
                parts.undo().add(giver.request(), request);
            }
            throw e;
        }
        if (acquisition instanceof Acquisition.Granted granted) {
            giver.tellReleased(ReleaseOutcome.RELEASED); // listeners hear of the giver first
            inherit(giver, heir, request, granted, validity);
            return Ownership.HELD;
        }
        lines.declined(heir);
        boolean taken = ((Acquisition.Contended) acquisition).freeIn().isPresent();
        return taken ? Ownership.OTHER_OWNER : Ownership.ABSENT;
    }

    private void inherit(
            ActiveLease giver, Waiter heir, LockRequest request, Acquisition.Granted granted, Validity validity) {
        Answer answer;
        try {
            answer = grants.lease(
                    request,
                    granted,
                    validity,
                    heir.options(),
                    new Attempt.Ask(
                            heir.startNanos(), WokenBy.HAND_OVER, giver.run().next(validity.startNanos())));
        } catch (RuntimeException | Error closing) {
            lines.declined(heir);
            Log.quietly(Level.DEBUG, () -> "lock '" + request.name() + "' was handed over in vain", closing);
            return;
        }
        if (!(answer instanceof Answer.Got got)) {
            lines.declined(heir);
        } else if (!lines.accepted(heir, got.lease())) {
            passOn(got);
        }
    }

    /** On another thread: the one that releases has waited for the store once already. */
    private void passOn(Answer.Got unwanted) {
        parts.heads().execute(unwanted.lease()::release);
    }

    private boolean mayBeDone(Throwable failure) {
        return !(failure instanceof LockBackendException known && known.outcome() != Outcome.UNKNOWN)
                || parts.clientResends();
    }
}
