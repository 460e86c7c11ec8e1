// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.Lease;
import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.LockEvent.WokenBy;
import io.polylock.LockTimeoutException;
import io.polylock.internal.Waiter.Place;
import io.polylock.spi.Holder;
import io.polylock.spi.LockName;
import io.polylock.spi.ReleaseSignals.Subscription;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Those of one manager who wait for one lock, in order, what is known of the lock, and when the first of them asks the store
 * again. Guarded by {@link Lines}.
 */
final class Line {

    private static final long AFTER_TTL_NANOS = Duration.ofMillis(1).toNanos();

    /** What is to be done for a waiter. */
    sealed interface Step {

        /** Ask the store. */
        record Ask(Attempt.Ask ask) implements Step {}

        /** Have the store signal releases to this line. */
        record Watch(Line line) implements Step {}

        /** Look up who holds the lock, so that a timeout can name it. */
        record Look(Line line) implements Step {}

        /** Nothing for so long. */
        record Rest(long nanos) implements Step {}

        /** Nothing more: its time is up. */
        record GiveUp() implements Step {}

        /** Take the lease that was handed over. */
        record Take(Lease lease) implements Step {}
    }

    private enum Signals {
        /** The store has none, or refuses them. */
        NONE,
        /** Not asked for yet. */
        OFF,
        /** Asked for. */
        PENDING,
        /** Confirmed: a release wakes this line, unless the signal gets lost. */
        ON
    }

    private final Numbers numbers;
    private final Set<Waiter> waiters = new LinkedHashSet<>();
    private Signals signals;
    private boolean watchNext;
    private Optional<Subscription> subscription = Optional.empty();

    private Optional<Waiter> asker = Optional.empty();
    private boolean outdated;
    private long nextAsk;
    private WokenBy reason = WokenBy.FIRST_ASK;
    private Duration poll;
    private Run run = Run.NONE;

    private Optional<Duration> freeIn = Optional.empty();
    private boolean refused;
    private boolean seenHeld;
    private Optional<LockBackendException> failure = Optional.empty();
    private boolean cutShort;
    private boolean looked;
    private Optional<String> holderLabel = Optional.empty();

    Line(Numbers numbers, boolean storeSignals, long nowNanos) {
        this.numbers = numbers;
        this.signals = storeSignals ? Signals.OFF : Signals.NONE;
        this.nextAsk = nowNanos;
        this.poll = numbers.firstPoll();
    }

    void add(Waiter waiter) {
        waiters.add(waiter);
    }

    /** Takes a waiter out; the next one to be woken, if that is now the first. */
    Optional<Waiter> remove(Waiter waiter) {
        boolean wasFirst = first().equals(Optional.of(waiter));
        waiters.remove(waiter);
        asker = asker.filter(asking -> asking != waiter);
        return wasFirst ? first() : Optional.empty();
    }

    Optional<Waiter> first() {
        return waiters.stream().findFirst();
    }

    boolean isAsking(Waiter waiter) {
        return asker.equals(Optional.of(waiter));
    }

    Step next(Waiter waiter, long now) {
        long left = waiter.leftNanos(now);
        boolean first = first().equals(Optional.of(waiter));
        boolean due = first && waiter.place == Place.QUEUED && nextAsk - now <= 0;
        if (due && (left > 0 || !waiter.hasAsked)) {
            waiter.hasAsked = true;
            asker = Optional.of(waiter);
            outdated = false;
            return new Step.Ask(new Attempt.Ask(waiter.startNanos(), reason, run));
        }
        if (left <= 0) {
            return new Step.GiveUp();
        }
        return first && waiter.place == Place.QUEUED ? beforeNextAsk(waiter, now, left) : new Step.Rest(left);
    }

    private Step beforeNextAsk(Waiter waiter, long now, long left) {
        if (watchNext) {
            watchNext = false;
            signals = Signals.PENDING;
            return new Step.Watch(this);
        }
        if (nextAsk - now < left || !refused || waiter.tookLastLook) {
            return new Step.Rest(Math.min(nextAsk - now, left));
        }
        long untilLook = waiter.untilLastLook(now);
        if (untilLook > 0) {
            return new Step.Rest(untilLook);
        }
        waiter.tookLastLook = true;
        if (signals != Signals.ON) {
            askAt(now, WokenBy.POLL);
        }
        if (looked) {
            return next(waiter, now);
        }
        looked = true;
        return new Step.Look(this);
    }

    /** Another owner has the lock. */
    void refused(Optional<Duration> holdersTtl, long now) {
        answered();
        refused = true;
        seenHeld = true;
        freeIn = holdersTtl;
        failure = Optional.empty();
        run = Run.NONE;
        watchNext = signals == Signals.OFF;
        long pause = jittered(signals == Signals.ON ? numbers.safetyPoll() : nextPoll());
        long left = holdersTtl.map(Checks::saturatedNanos).orElse(Long.MAX_VALUE);
        // a TTL that should be over already and is not tells nothing
        if (left > 0 && left < pause) {
            askAt(now + Math.min(pause, left + AFTER_TTL_NANOS), WokenBy.HOLDER_EXPIRY);
        } else {
            askAt(now + pause, WokenBy.POLL);
        }
        if (outdated) {
            askAt(now, WokenBy.SIGNAL);
        }
    }

    /** The store did not answer properly. */
    void failed(LockBackendException problem, boolean bySmallBound, long now) {
        answered();
        failure = Optional.of(problem);
        cutShort = bySmallBound;
        askAt(now + jittered(nextPoll()), WokenBy.POLL);
        if (outdated) {
            askAt(now, WokenBy.SIGNAL);
        }
    }

    /** The request of the first one ended without any answer that counts. */
    void answered() {
        asker = Optional.empty();
    }

    /** Somebody of this manager has the lock. Its end will be noticed here: there is little reason to ask the store. */
    void heldHere(long now) {
        answered();
        refused = false;
        seenHeld = true;
        freeIn = Optional.empty();
        looked = false;
        holderLabel = Optional.empty();
        failure = Optional.empty();
        poll = numbers.firstPoll();
        askAt(now + jittered(numbers.safetyPoll()), WokenBy.POLL);
    }

    /** Somebody of this manager has the lock no more. At the end of a run others get a chance to come in. */
    void freedHere(Run ended, long now) {
        if (ended.goesOn(now, numbers)) {
            run = ended.next(now);
            outdated = true; // a request that is on its way may have been too early
            askAt(now, WokenBy.LOCAL_RELEASE);
        } else {
            run = Run.NONE;
            watchNext = signals == Signals.OFF;
            if (reason != WokenBy.SIGNAL || nextAsk - now > 0) { // else nobody but us was there to be woken
                askAt(now + numbers.sitOut().toNanos(), WokenBy.LOCAL_RELEASE);
            }
        }
    }

    /** The store said that the lock may be free. */
    void signalled(long now) {
        outdated = true;
        looked = false;
        askAt(now, WokenBy.SIGNAL);
    }

    /** The store will signal: a release that came before is found by asking once more. */
    void watched(Subscription confirmed, long now) {
        signals = Signals.ON;
        subscription = Optional.of(confirmed);
        if (refused) {
            askAt(now, reason);
        }
    }

    void notWatched(Optional<Outcome> why) {
        signals = why.equals(Optional.of(Outcome.REFUSED)) ? Signals.NONE : Signals.OFF;
    }

    void looked(Holder holder) {
        holderLabel = holder.label();
        freeIn = holder.remaining();
    }

    Optional<Subscription> subscription() {
        return subscription;
    }

    /**
     * What to tell one whose time is up. A last request that had no time for an answer says nothing about the store, if that
     * answered before.
     */
    RuntimeException tooLate(LockName name, Duration waited) {
        if (!seenHeld || (failure.isPresent() && !cutShort)) {
            return failure.orElseGet(() -> new LockBackendException(
                    Outcome.NOT_APPLIED,
                    "lock '" + name + "': the store had not answered those in front within " + waited));
        }
        LockTimeoutException timeout = new LockTimeoutException(name.value(), waited, freeIn, holderLabel);
        failure.ifPresent(timeout::addSuppressed);
        return timeout;
    }

    private void askAt(long when, WokenBy why) {
        nextAsk = when;
        reason = why;
    }

    private Duration nextPoll() {
        Duration next = poll;
        Duration doubled = poll.multipliedBy(2);
        poll = doubled.compareTo(numbers.pollCeiling()) < 0 ? doubled : numbers.pollCeiling();
        return next;
    }

    private long jittered(Duration pause) {
        double jitter = 1 + (ThreadLocalRandom.current().nextDouble() * 2 - 1) * numbers.pollJitter();
        return (long) (pause.toNanos() * jitter);
    }
}
