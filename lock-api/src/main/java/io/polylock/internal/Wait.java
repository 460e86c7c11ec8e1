// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.Lease;
import io.polylock.LockBackendException.Outcome;
import io.polylock.LockEvent.WokenBy;
import io.polylock.LockTimeoutException;
import io.polylock.internal.Attempt.Answer;
import io.polylock.spi.Inspection;
import io.polylock.spi.LockClock;
import io.polylock.spi.LockName;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * One caller's wait for one lock: asks, pauses, asks again, until it is granted or time is up. Pauses double up to the safety
 * poll, are jittered, and end when the holder's TTL ends. Used by one thread.
 */
final class Wait {

    /** Before a wait ends, one more attempt is made this long before the end. */
    private static final long LAST_LOOK_NANOS = Duration.ofMillis(50).toNanos();

    private static final long AFTER_TTL_NANOS = Duration.ofMillis(1).toNanos();

    private final Parts parts;
    private final Roll roll;
    private final Attempt attempt;
    private final LockName name;
    private final Duration wait;
    private final LockClock.Pause pause;
    private final long start;
    private Duration poll;
    private WokenBy wokenBy = WokenBy.FIRST_ASK;
    private boolean lastLookTaken;
    private Optional<Answer.Busy> lastRefusal = Optional.empty();
    private Optional<String> holderLabel = Optional.empty();

    Wait(Parts parts, Roll roll, Attempt attempt, LockName name, Duration wait, LockClock.Pause pause) {
        this.parts = parts;
        this.roll = roll;
        this.attempt = attempt;
        this.name = name;
        this.wait = wait;
        this.pause = pause;
        this.start = parts.clock().nanoTime();
        this.poll = parts.numbers().firstPoll();
    }

    Lease untilGranted(LockOptions options) throws InterruptedException {
        while (true) {
            Duration bound = bound();
            Answer answer = attempt.make(name, options, bound, new Attempt.Ask(start, wokenBy));
            if (answer instanceof Answer.Got got) {
                return got.lease();
            }
            if (answer instanceof Answer.Failed failed && failed.failure().outcome() == Outcome.REFUSED) {
                throw failed.failure();
            }
            if (answer instanceof Answer.Busy busy) {
                if (lastRefusal.isEmpty()) {
                    parts.observers().contended(name, busy.freeIn());
                }
                lastRefusal = Optional.of(busy);
            }
            if (!pauseBeforeNext(answer)) {
                throw tooLate(answer, bound);
            }
        }
    }

    /** How long the next request may take: not longer than the wait, unless that is a single attempt. */
    private Duration bound() {
        if (wait.isZero()) {
            return parts.answerWithin();
        }
        return Duration.ofNanos(
                Math.min(Math.max(1, leftNanos()), parts.answerWithin().toNanos()));
    }

    /** False once the wait is over. */
    private boolean pauseBeforeNext(Answer answer) throws InterruptedException {
        long left = leftNanos();
        long next = nextPauseNanos(answer);
        boolean goesOn = left > 0;
        if (next >= left && left > 0) {
            askWhoHolds(answer, left);
            left = leftNanos();
            goesOn = !lastLookTaken;
            next = lastLookTaken ? left : left - Math.min(LAST_LOOK_NANOS, left / 2);
            lastLookTaken = true;
            wokenBy = WokenBy.POLL;
        }
        if (left > 0) {
            pause.await(Duration.ofNanos(next));
            roll.requireOpen();
        }
        return goesOn && leftNanos() > 0;
    }

    private long nextPauseNanos(Answer answer) {
        double jitter = 1
                + (ThreadLocalRandom.current().nextDouble() * 2 - 1)
                        * parts.numbers().pollJitter();
        long next = (long) (poll.toNanos() * jitter);
        Duration doubled = poll.multipliedBy(2);
        Duration ceiling = parts.numbers().pollCeiling();
        poll = doubled.compareTo(ceiling) < 0 ? doubled : ceiling;
        long freeIn = answer instanceof Answer.Busy busy
                ? busy.freeIn().map(Checks::saturatedNanos).orElse(Long.MAX_VALUE)
                : Long.MAX_VALUE;
        // a TTL that should be over already and is not tells nothing
        boolean expires = freeIn > 0 && freeIn < next;
        wokenBy = expires ? WokenBy.HOLDER_EXPIRY : WokenBy.POLL;
        return expires ? Math.min(next, freeIn + AFTER_TTL_NANOS) : next;
    }

    /** Looks up the holder while there is still time, so that a timeout can name it. */
    private void askWhoHolds(Answer answer, long leftNanos) {
        if (answer instanceof Answer.Busy && holderLabel.isEmpty()) {
            Duration bound =
                    Duration.ofNanos(Math.min(leftNanos, parts.answerWithin().toNanos()));
            try {
                holderLabel = parts.backend()
                        .feature(Inspection.class)
                        .flatMap(inspection -> inspection.inspect(name, bound))
                        .flatMap(holder -> holder.label());
            } catch (RuntimeException unimportant) {
                holderLabel = Optional.empty();
            }
        }
    }

    /** A last request that had no time for an answer says nothing about the store, if that answered before. */
    private RuntimeException tooLate(Answer answer, Duration bound) {
        boolean cutShort = bound.compareTo(parts.answerWithin()) < 0;
        if (answer instanceof Answer.Failed failed && !(cutShort && lastRefusal.isPresent())) {
            return failed.failure();
        }
        long waitedNanos = parts.clock().nanoTime() - start;
        parts.observers().timedOut(name, waitedNanos);
        Duration waited = Duration.ofNanos(waitedNanos);
        LockTimeoutException timeout =
                new LockTimeoutException(name.value(), waited, lastRefusal.flatMap(Answer.Busy::freeIn), holderLabel);
        if (answer instanceof Answer.Failed failed) {
            timeout.addSuppressed(failed.failure());
        }
        return timeout;
    }

    private long leftNanos() {
        return Checks.saturatedNanos(wait) - (parts.clock().nanoTime() - start);
    }
}
