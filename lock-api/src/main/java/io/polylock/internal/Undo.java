// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.LockEvent.UndoStep;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockClock;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * The releases of what the store may have granted without our knowing. A release may overtake the request that it undoes, so
 * each is repeated until two were answered at least one command timeout apart. Bounded; thread-safe.
 */
final class Undo {

    private final LockBackend backend;
    private final LockClock clock;
    private final LockClock.Workers workers;
    private final Numbers numbers;
    private final Duration answerWithin;
    private final Observers observers;
    private final Executor lane;
    private final Map<OwnerToken, Entry> entries = new HashMap<>();
    private boolean closed;

    Undo(
            LockBackend backend,
            LockClock clock,
            LockClock.Workers workers,
            Numbers numbers,
            Duration answerWithin,
            Observers observers) {
        this.backend = backend;
        this.clock = clock;
        this.workers = workers;
        this.numbers = numbers;
        this.answerWithin = answerWithin;
        this.observers = observers;
        this.lane = workers.lane("undo", 1);
    }

    /** Starts to undo what a request may have done, unless that is going on. */
    void add(LockRequest request) {
        start(new Entry(request.withAnswerWithin(answerWithin), Optional.empty(), clock.nanoTime()));
    }

    /**
     * Starts to undo a hand-over: first the giver, and once that was answered or has ended, so that the lock can pass to the
     * heir no more, the heir.
     */
    void add(LockRequest giver, LockRequest heir) {
        start(new Entry(giver.withAnswerWithin(answerWithin), Optional.of(heir), clock.nanoTime()));
    }

    private void start(Entry entry) {
        LockRequest request = entry.request;
        boolean full;
        synchronized (entries) {
            if (closed || entries.containsKey(request.owner())) {
                return;
            }
            full = entries.size() >= numbers.undoCapacity();
            if (!full) {
                entries.put(request.owner(), entry);
            }
        }
        if (full) {
            observers.undo(request.name(), UndoStep.GIVEN_UP);
            Log.quietly(
                    Level.WARNING,
                    () -> numbers.undoCapacity() + " releases of unknown outcomes are outstanding; lock '"
                            + request.name() + "' may stay locked until its TTL of " + request.ttl() + " ends");
            return;
        }
        observers.undo(request.name(), UndoStep.STARTED);
        execute(entry);
    }

    /** Forgets what is outstanding: the store's TTL ends it. */
    void close() {
        List<Entry> left;
        synchronized (entries) {
            closed = true;
            left = List.copyOf(entries.values());
            entries.clear();
        }
        left.forEach(entry -> observers.undo(entry.request.name(), UndoStep.GIVEN_UP));
    }

    private void execute(Entry entry) {
        try {
            lane.execute(() -> attempt(entry));
        } catch (RejectedExecutionException managerClosed) {
            end(entry, UndoStep.GIVEN_UP);
        } catch (RuntimeException | Error noThread) {
            later(entry, entry.nextBackoff(numbers));
        }
    }

    private void attempt(Entry entry) {
        synchronized (entries) {
            if (!entries.containsKey(entry.request.owner())) {
                return;
            }
        }
        long start = clock.nanoTime();
        try {
            backend.release(entry.request);
        } catch (RuntimeException | Error e) {
            Log.quietly(
                    Level.DEBUG, () -> "releasing an unknown outcome on lock '" + entry.request.name() + "' failed", e);
            if (clock.nanoTime() - entry.since < giveUpNanos(entry)) {
                later(entry, entry.nextBackoff(numbers));
            } else {
                entry.takeHeir().ifPresent(this::add); // nothing of the giver's can pass to it any more
                end(entry, UndoStep.GIVEN_UP);
            }
            return;
        }
        entry.takeHeir().ifPresent(this::add);
        if (entry.answeredTwice(start, answerWithin.toNanos())) {
            end(entry, UndoStep.DONE);
        } else {
            later(entry, answerWithin);
        }
    }

    /** A record that no release reached has ended by then: its TTL, twice, for a request that arrived late. */
    private long giveUpNanos(Entry entry) {
        return 2 * (entry.request.ttl().toNanos() + answerWithin.toNanos());
    }

    private void later(Entry entry, Duration delay) {
        workers.after(delay, () -> execute(entry));
    }

    private void end(Entry entry, UndoStep step) {
        boolean outstanding;
        synchronized (entries) {
            outstanding = entries.remove(entry.request.owner(), entry);
        }
        if (outstanding) {
            observers.undo(entry.request.name(), step);
        }
    }

    /** One outcome to undo; touched by the lane alone. */
    private static final class Entry {

        private final LockRequest request;
        private final long since;
        private Optional<LockRequest> heir;
        private boolean answered;
        private long firstAnswered;
        private Duration backoff = Duration.ZERO;

        Entry(LockRequest request, Optional<LockRequest> heir, long since) {
            this.request = request;
            this.heir = heir;
            this.since = since;
        }

        Optional<LockRequest> takeHeir() {
            Optional<LockRequest> taken = heir;
            heir = Optional.empty();
            return taken;
        }

        boolean answeredTwice(long now, long apart) {
            if (answered) {
                return now - firstAnswered >= apart;
            }
            answered = true;
            firstAnswered = now;
            return false;
        }

        Duration nextBackoff(Numbers numbers) {
            Duration doubled = backoff.isZero() ? numbers.undoBackoff() : backoff.multipliedBy(2);
            backoff = doubled.compareTo(numbers.undoCeiling()) > 0 ? numbers.undoCeiling() : doubled;
            return backoff;
        }
    }
}
