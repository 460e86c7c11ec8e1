// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.Lease;
import io.polylock.LockBackendException.Outcome;
import io.polylock.LockTimeoutException;
import io.polylock.internal.Attempt.Answer;
import io.polylock.internal.Line.Step;
import io.polylock.internal.Waiter.Place;
import io.polylock.spi.Holder;
import io.polylock.spi.LockClock;
import io.polylock.spi.LockName;
import io.polylock.spi.ReleaseSignals.SignalListener;
import io.polylock.spi.ReleaseSignals.Subscription;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Who waits for which lock in one manager. For each lock one waiter, the first in line, asks the store; the others wait behind
 * it, in the order in which they came. What is kept for a lock goes with its last waiter. Thread-safe: one monitor guards all,
 * and no request, no wake-up and nothing of the application runs under it.
 */
final class Lines {

    private final LockClock clock;
    private final Numbers numbers;
    private final boolean storeSignals;
    private final Map<LockName, Line> lines = new HashMap<>();
    private final Map<LockName, ActiveLease> holders = new HashMap<>();

    Lines(LockClock clock, Numbers numbers, boolean storeSignals) {
        this.clock = clock;
        this.numbers = numbers;
        this.storeSignals = storeSignals;
    }

    /** Puts a waiter in line, unless it has been withdrawn already. */
    synchronized void join(Waiter waiter) {
        if (waiter.place == Place.WITHDRAWN) {
            return;
        }
        Line line = lines.computeIfAbsent(waiter.name(), this::open);
        line.add(waiter);
    }

    private Line open(LockName name) {
        Line line = new Line(numbers, storeSignals, now());
        heldHere(name, line);
        return line;
    }

    /** A lease that is over already has nobody who would tell of its end. */
    private void heldHere(LockName name, Line line) {
        if (holders.containsKey(name)) {
            line.heldHere(now());
        }
    }

    synchronized Step next(Waiter waiter) {
        if (waiter.place == Place.ACCEPTED) {
            waiter.place = Place.WITHDRAWN;
            return new Step.Take(Objects.requireNonNull(waiter.handedOver));
        }
        return lineOf(waiter).map(line -> line.next(waiter, now())).orElseGet(Step.GiveUp::new);
    }

    /** The answer to the request that {@link Step.Ask} called for. */
    void answered(Waiter waiter, Answer answer, boolean bySmallBound) {
        if (answer instanceof Answer.Got) {
            leaveQueue(waiter, true);
            return;
        }
        synchronized (this) {
            lineOf(waiter).filter(line -> line.isAsking(waiter)).ifPresent(line -> {
                if (answer instanceof Answer.Busy busy) {
                    line.refused(busy.freeIn(), now());
                } else {
                    line.failed(((Answer.Failed) answer).failure(), bySmallBound, now());
                }
            });
        }
    }

    /** Ends a wait. Returns what was handed over meanwhile and is to be given back. */
    Optional<Lease> leave(Waiter waiter) {
        synchronized (this) {
            if (waiter.place == Place.ACCEPTED) {
                waiter.place = Place.WITHDRAWN;
                return Optional.ofNullable(waiter.handedOver);
            }
        }
        leaveQueue(waiter, false);
        return Optional.empty();
    }

    private void leaveQueue(Waiter waiter, boolean withTheLock) {
        Optional<Waiter> next = Optional.empty();
        Optional<Subscription> unused = Optional.empty();
        synchronized (this) {
            Optional<Line> line = lineOf(waiter);
            if (line.isPresent()) {
                if (withTheLock) {
                    heldHere(waiter.name(), line.get());
                }
                next = line.get().remove(waiter);
                unused = closeIfEmpty(waiter.name(), line.get());
            }
            waiter.place = Place.WITHDRAWN;
        }
        next.ifPresent(Waiter::wake);
        unused.ifPresent(Lines::end);
    }

    private Optional<Subscription> closeIfEmpty(LockName name, Line line) {
        if (line.first().isPresent()) {
            return Optional.empty();
        }
        lines.remove(name);
        return line.subscription();
    }

    /** The first in line, to whom a lease that ends may be handed over; that is then to be told how it went. */
    synchronized Optional<Waiter> offer(ActiveLease giver) {
        Line line = lines.get(giver.request().name());
        if (line == null || !giver.run().goesOn(now(), numbers)) {
            return Optional.empty();
        }
        Optional<Waiter> heir = line.first()
                .filter(first -> first.place == Place.QUEUED && !line.isAsking(first) && first.leftNanos(now()) > 0);
        heir.ifPresent(first -> first.place = Place.OFFERED);
        return heir;
    }

    /** The hand-over succeeded. False if the heir has withdrawn. */
    boolean accepted(Waiter heir, Lease lease) {
        Optional<Waiter> next;
        Optional<Subscription> unused;
        synchronized (this) {
            if (heir.place != Place.OFFERED) {
                return false;
            }
            Line line = lineOf(heir).orElseThrow(); // an heir is in line until it withdraws
            heldHere(heir.name(), line);
            next = line.remove(heir);
            unused = closeIfEmpty(heir.name(), line);
            heir.handedOver = lease;
            heir.place = Place.ACCEPTED;
        }
        heir.wake();
        next.ifPresent(Waiter::wake);
        unused.ifPresent(Lines::end);
        return true;
    }

    /** The hand-over failed: the heir is in line as before. */
    void declined(Waiter heir) {
        synchronized (this) {
            if (heir.place == Place.OFFERED) {
                heir.place = Place.QUEUED;
            }
        }
        heir.wake(); // what woke it meanwhile had no effect
    }

    synchronized void admitted(ActiveLease lease) {
        holders.put(lease.request().name(), lease);
    }

    /** A lease of this manager is over: if nobody has its lock here, the first in line asks. */
    void over(ActiveLease lease) {
        Optional<Waiter> first = Optional.empty();
        synchronized (this) {
            LockName name = lease.request().name();
            if (holders.remove(name, lease)) {
                Line line = lines.get(name);
                if (line != null) {
                    line.freedHere(lease.run(), now());
                    first = line.first();
                }
            }
        }
        first.ifPresent(Waiter::wake);
    }

    SignalListener listener(LockName name, Line line, Runnable whenGap) {
        return new SignalListener() {
            @Override
            public void released() {
                signalled(name, line);
            }

            @Override
            public void gap() {
                signalled(name, line);
                whenGap.run();
            }
        };
    }

    private void signalled(LockName name, Line line) {
        Optional<Waiter> first;
        synchronized (this) {
            if (lines.get(name) != line) {
                return;
            }
            line.signalled(now());
            first = line.first();
        }
        first.ifPresent(Waiter::wake);
    }

    /** The store signals to a line from now on; closed at once if nobody is in it any more. */
    void watched(LockName name, Line line, Subscription subscription) {
        Optional<Waiter> first;
        synchronized (this) {
            if (lines.get(name) == line) {
                line.watched(subscription, now());
                first = line.first();
            } else {
                first = Optional.empty();
            }
        }
        first.ifPresentOrElse(Waiter::wake, () -> end(subscription));
    }

    synchronized void notWatched(Line line, Optional<Outcome> why) {
        line.notWatched(why);
    }

    synchronized void looked(Line line, Holder holder) {
        line.looked(holder);
    }

    /** What to throw for a waiter whose time is up. */
    synchronized RuntimeException tooLate(Waiter waiter) {
        ActiveLease holder = holders.get(waiter.name());
        Duration waited = Duration.ofNanos(waiter.waitedNanos(now()));
        if (holder != null) {
            return new LockTimeoutException(
                    waiter.name().value(),
                    waited,
                    Optional.of(holder.remaining()),
                    Optional.of(holder.request().label()));
        }
        return lineOf(waiter)
                .map(line -> line.tooLate(waiter.name(), waited))
                .orElseGet(() ->
                        new LockTimeoutException(waiter.name().value(), waited, Optional.empty(), Optional.empty()));
    }

    /** Whether a waiter's time may end now, without the answer to a request of its own. */
    synchronized boolean mayGiveUp(Waiter waiter) {
        return lineOf(waiter).map(line -> !line.isAsking(waiter)).orElse(false);
    }

    /** How many locks are waited for; for tests. */
    synchronized int size() {
        return lines.size();
    }

    private Optional<Line> lineOf(Waiter waiter) {
        boolean queued = waiter.place == Place.QUEUED || waiter.place == Place.OFFERED;
        return queued ? Optional.ofNullable(lines.get(waiter.name())) : Optional.empty();
    }

    /** Whoever ends a wait is not to suffer from a backend that cannot. */
    private static void end(Subscription subscription) {
        try {
            subscription.close();
        } catch (RuntimeException | Error e) {
            Log.quietly(Level.DEBUG, () -> "ending a subscription failed", e);
        }
    }

    private long now() {
        return clock.nanoTime();
    }
}
