// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.Lease;
import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.LockTimeoutException;
import io.polylock.internal.Attempt.Answer;
import io.polylock.internal.Line.Step;
import io.polylock.spi.Inspection;
import io.polylock.spi.LockClock;
import io.polylock.spi.ReleaseSignals;
import io.polylock.spi.ReleaseSignals.Subscription;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;

/**
 * One caller's wait for one lock, as its place in line demands: ask, have releases signalled, ask again, rest. Used by one
 * thread at a time.
 */
final class Wait {

    private final Parts parts;
    private final Roll roll;
    private final Lines lines;
    private final Attempt attempt;
    private final Waiter waiter;
    private Duration rest = Duration.ZERO;
    private boolean asked;
    private boolean toldContended;

    Wait(Parts parts, Roll roll, Lines lines, Attempt attempt, Waiter waiter) {
        this.parts = parts;
        this.roll = roll;
        this.lines = lines;
        this.attempt = attempt;
        this.waiter = waiter;
    }

    /** Waits on the calling thread, in a pause that the waiter's wake-up ends. */
    Lease untilGranted(LockClock.Pause pause) throws InterruptedException {
        lines.join(waiter);
        try {
            Optional<Lease> lease = turn();
            while (lease.isEmpty()) {
                pause.await(rest);
                lease = turn();
            }
            return lease.get();
        } catch (LockTimeoutException e) {
            tellTimedOut();
            throw e;
        } finally {
            lines.leave(waiter).ifPresent(Lease::release);
        }
    }

    /** Does what is due. Without a lease, the waiter is to {@linkplain #rest() rest} then, or until it is woken. */
    Optional<Lease> turn() throws InterruptedException {
        while (true) {
            roll.requireOpen();
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted while waiting for lock '" + waiter.name() + "'");
            }
            Step step = lines.next(waiter);
            if (step instanceof Step.Take take) {
                return Optional.of(take.lease());
            } else if (step instanceof Step.Ask ask) {
                Optional<Lease> lease = ask(ask);
                if (lease.isPresent()) {
                    return lease;
                }
            } else if (step instanceof Step.Watch watch) {
                watch(watch.line());
            } else if (step instanceof Step.Look look) {
                lookWhoHolds(look.line());
            } else if (step instanceof Step.Rest resting) {
                if (!asked) {
                    tellContended(Optional.empty()); // somebody of this manager has the lock, or is in front
                }
                rest = Duration.ofNanos(resting.nanos());
                return Optional.empty();
            } else {
                throw lines.tooLate(waiter);
            }
        }
    }

    Duration rest() {
        return rest;
    }

    private Optional<Lease> ask(Step.Ask ask) throws InterruptedException {
        asked = true;
        Duration bound = bound();
        Answer answer = attempt.make(waiter.name(), waiter.options(), bound, ask.ask());
        lines.answered(waiter, answer, bound.compareTo(parts.answerWithin()) < 0);
        if (answer instanceof Answer.Busy busy) {
            tellContended(busy.freeIn());
        }
        if (answer instanceof Answer.Failed failed && failed.failure().outcome() == Outcome.REFUSED) {
            throw failed.failure();
        }
        return answer instanceof Answer.Got got ? Optional.of(got.lease()) : Optional.empty();
    }

    /** Once. */
    private void tellContended(Optional<Duration> freeIn) {
        if (!toldContended) {
            toldContended = true;
            parts.observers().contended(waiter.name(), freeIn);
        }
    }

    /** For the one who ends the wait. */
    void tellTimedOut() {
        parts.observers()
                .timedOut(waiter.name(), waiter.waitedNanos(parts.clock().nanoTime()));
    }

    private void watch(Line line) {
        try {
            Subscription subscription = parts.backend()
                    .feature(ReleaseSignals.class)
                    .orElseThrow()
                    .watch(
                            waiter.name(),
                            lines.listener(
                                    waiter.name(), line, () -> parts.observers().signalGap(waiter.name())),
                            bound());
            lines.watched(waiter.name(), line, subscription);
        } catch (RuntimeException | Error e) {
            Log.quietly(Level.DEBUG, () -> "no signals for lock '" + waiter.name() + "': it is polled for", e);
            lines.notWatched(
                    line, e instanceof LockBackendException known ? Optional.of(known.outcome()) : Optional.empty());
        }
    }

    /** Looks up the holder while there is still time. */
    private void lookWhoHolds(Line line) {
        try {
            parts.backend()
                    .feature(Inspection.class)
                    .flatMap(inspection -> inspection.inspect(waiter.name(), bound()))
                    .ifPresent(holder -> lines.looked(line, holder));
        } catch (RuntimeException unimportant) {
            Log.quietly(Level.DEBUG, () -> "looking up who holds lock '" + waiter.name() + "' failed", unimportant);
        }
    }

    /** How long a request may take: not longer than what is left of the wait. */
    private Duration bound() {
        long left = Math.max(1, waiter.leftNanos(parts.clock().nanoTime()));
        return Duration.ofNanos(Math.min(left, parts.answerWithin().toNanos()));
    }
}
