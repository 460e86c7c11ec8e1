// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.LeaseLostException;
import io.polylock.LossCause;
import io.polylock.ReleaseOutcome;
import io.polylock.spi.LockClock;
import io.polylock.spi.LockRequest;
import io.polylock.spi.Ownership;
import java.lang.System.Logger.Level;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The state of one lease: held, then either ended by its holder or lost, and both are final. Thread-safe; no request and no
 * callback runs under its monitor.
 */
final class ActiveLease {

    /** Where a lease is in its life. */
    enum State {
        HELD,
        ENDED,
        LOST
    }

    private final Parts parts;
    private final LockRequest request;
    private final OptionalLong fencingToken;
    private final Term term;
    private final Run run;
    private final Succession succession;
    private final Turn turn;
    private final LossActions lossActions;

    private State state = State.HELD;
    private boolean closed;
    private @Nullable LossCause lossCause;
    private long heldNanos;
    private @Nullable ReleaseOutcome released;
    private @Nullable ReleaseOutcome told;
    private LockClock.Scheduled expiry = () -> {};
    private LockClock.Scheduled nextRenewal = () -> {};
    private @Nullable WeakReference<LeaseHandle> handle;

    ActiveLease(
            Parts parts,
            LockRequest request,
            OptionalLong fencingToken,
            Validity validity,
            Optional<Duration> maxHold,
            Run run,
            Succession succession) {
        this.parts = parts;
        this.request = request;
        this.fencingToken = fencingToken;
        this.term = new Term(parts.clock(), validity, maxHold);
        this.run = run;
        this.succession = succession;
        this.turn = new Turn(parts.clock());
        this.lossActions = new LossActions(parts.callbacks(), request.name());
    }

    /** Arms the alarm that tells of the loss even if nothing else moves. */
    synchronized void watchExpiry() {
        if (state == State.HELD) {
            expiry.cancel();
            expiry = parts.agenda().after(Duration.ofNanos(remainingNanos()), this::alarm);
        }
    }

    private void alarm() {
        becomeLostIfDue().run();
        watchExpiry();
    }

    synchronized void heldThrough(LeaseHandle leaseHandle) {
        handle = new WeakReference<>(leaseHandle);
    }

    /** Whether nobody can release this lease any more. */
    synchronized boolean abandoned() {
        return handle != null && handle.refersTo(null);
    }

    LockRequest request() {
        return request;
    }

    OptionalLong fencingToken() {
        return fencingToken;
    }

    Run run() {
        return run;
    }

    Turn turn() {
        return turn;
    }

    synchronized State state() {
        return state;
    }

    /** Whether it is being released for the first time: after that an undo may be at work, which knows of no heir. */
    synchronized boolean mayBeHandedOver() {
        return state == State.ENDED && released == null;
    }

    boolean isHeld() {
        return !remaining().isZero();
    }

    synchronized Duration remaining() {
        return state == State.HELD ? term.remaining() : Duration.ZERO;
    }

    void onLost(Consumer<? super LossCause> action) {
        LossCause cause;
        synchronized (this) {
            if (state == State.HELD) {
                lossActions.add(action);
                return;
            }
            cause = state == State.LOST ? lossCause : null;
        }
        if (cause != null) {
            lossActions.tell(action, cause);
        }
    }

    /** Plans the next renewal, unless the lease is over. */
    synchronized void planRenewal(Supplier<LockClock.Scheduled> plan) {
        if (state == State.HELD) {
            nextRenewal.cancel();
            nextRenewal = plan.get();
        }
    }

    /** What is left before the holder must stop, by the monotonic clock. */
    synchronized long remainingNanos() {
        return term.remainingNanos();
    }

    /** The store was asked to renew and has not answered: if validity ends now, that is why. */
    synchronized void storeAsked() {
        term.storeAsked();
    }

    /** The store confirmed the lease. False if that came too late: lost is final, and the record is freed. */
    boolean renewed(Validity confirmed) {
        Runnable telling;
        boolean inTime;
        synchronized (this) {
            telling = becomeLostIfDue();
            inTime = state != State.LOST;
            if (inTime) {
                if (state == State.HELD) {
                    long margin = term.marginNanos();
                    telling = () -> parts.observers().renewed(request.name(), margin);
                }
                term.confirmed(confirmed);
            }
        }
        telling.run();
        if (!inTime && !leftToItsTtl()) {
            parts.undo().add(request);
        }
        return inTime;
    }

    /** Whether we ended the lease ourselves, so that a body may still be running under what the store keeps. */
    private synchronized boolean leftToItsTtl() {
        return lossCause == LossCause.CLOSED || lossCause == LossCause.MAX_HOLD;
    }

    /** The store said that the lease is gone. */
    void gone(Ownership found) {
        Runnable telling;
        synchronized (this) {
            telling = becomeLost(causeOf(found));
            if (state == State.LOST) {
                released = ReleaseOutcome.NOT_HELD;
            }
        }
        telling.run();
    }

    void lose(LossCause cause) {
        becomeLost(cause).run();
    }

    /** The step to LOST, if the lease is held; what it returns is to be run without the monitor. */
    private synchronized Runnable becomeLost(LossCause cause) {
        if (state != State.HELD) {
            return () -> {};
        }
        end(State.LOST);
        lossCause = cause;
        long held = heldNanos;
        Runnable tellHolder = lossActions.take(cause);
        return () -> {
            // before a closing manager may go on and end their lanes
            parts.observers().lost(request.name(), cause, held);
            // what must happen comes first: a log handler may throw
            succession.over(this);
            tellHolder.run();
            Log.quietly(Level.WARNING, () -> "the lease on lock '" + request.name() + "' is lost: " + cause);
        };
    }

    /** As {@link #becomeLost}, if time is up. */
    private synchronized Runnable becomeLostIfDue() {
        Optional<LossCause> due = term.whyOver();
        return due.isPresent() ? becomeLost(due.get()) : () -> {};
    }

    ReleaseOutcome release() {
        Runnable telling;
        synchronized (this) {
            telling = becomeLostIfDue();
            if (state == State.HELD) {
                end(State.ENDED);
                lossActions.clear();
            }
        }
        telling.run();
        ReleaseOutcome found = Interrupts.shield(this::releaseInTurn);
        ReleaseOutcome outcome = found == null ? giveUpRelease() : found;
        tellReleased(outcome); // first, as above
        succession.over(this);
        return outcome;
    }

    /** Once for each outcome. */
    void tellReleased(ReleaseOutcome outcome) {
        long held;
        synchronized (this) {
            if (told == outcome) {
                return;
            }
            told = outcome;
            held = heldNanos;
        }
        parts.observers().released(request.name(), outcome, held);
    }

    void close() {
        release();
        LossCause loss;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            loss = lossCause;
        }
        if (loss != null) {
            throw new LeaseLostException(request.name().value(), loss);
        }
    }

    private ReleaseOutcome releaseInTurn() throws InterruptedException {
        if (!turn.take(parts.answerWithin())) {
            return giveUpRelease();
        }
        try {
            synchronized (this) {
                if (released != null && released != ReleaseOutcome.UNKNOWN) {
                    return released;
                }
            }
            return releaseNow();
        } finally {
            turn.giveBack();
        }
    }

    private ReleaseOutcome releaseNow() {
        boolean echoPossible = mayBeEcho();
        Ownership found;
        try {
            found = succession.release(this);
        } catch (RuntimeException | Error e) {
            ReleaseOutcome unknown = giveUpRelease();
            Log.quietly(
                    Level.WARNING,
                    () -> "releasing lock '" + request.name() + "' got no answer; it is repeated in the background",
                    e);
            return unknown;
        }
        synchronized (this) {
            if (found == Ownership.HELD) {
                released = ReleaseOutcome.RELEASED;
            } else if (echoPossible) {
                released = ReleaseOutcome.UNKNOWN;
            } else {
                if (released == null && lossCause == null) {
                    lossCause = causeOf(found);
                }
                released = ReleaseOutcome.NOT_HELD;
            }
            return released;
        }
    }

    /** Whether "not held" may come of a release that this one's client sends twice. */
    private synchronized boolean mayBeEcho() {
        return parts.clientResends() && lossCause == null && remainingNanos() > 0;
    }

    private ReleaseOutcome giveUpRelease() {
        synchronized (this) {
            if (released != null && released != ReleaseOutcome.UNKNOWN) {
                return released;
            }
            released = ReleaseOutcome.UNKNOWN;
        }
        parts.undo().add(request);
        return ReleaseOutcome.UNKNOWN;
    }

    private LossCause causeOf(Ownership found) {
        if (found == Ownership.OTHER_OWNER) {
            return LossCause.TAKEN;
        }
        return term.mayBeOver() ? LossCause.EXPIRED : LossCause.REVOKED;
    }

    private void end(State ended) {
        state = ended;
        heldNanos = term.heldNanos();
        expiry.cancel();
        nextRenewal.cancel();
    }
}
