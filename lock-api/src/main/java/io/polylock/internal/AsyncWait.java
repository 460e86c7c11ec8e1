// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.Lease;
import io.polylock.LockTimeoutException;
import io.polylock.spi.LockClock;
import io.polylock.spi.LockName;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A wait without a thread: its turns run on the lane of the heads, its rests are timers, and its future is completed on a lane
 * of its own. Whoever else completes the future, as {@code cancel} and {@code orTimeout} do, ends the wait. Thread-safe.
 */
final class AsyncWait {

    private final Parts parts;
    private final Roll roll;
    private final Lines lines;
    private final Waiter waiter;
    private final Wait wait;
    private final CompletableFuture<Lease> future = new CompletableFuture<>();
    private final Callable<Lease> atOnce;
    private final Roll.Call call = new Roll.Call(this::managerCloses);
    private final AtomicBoolean settled = new AtomicBoolean();
    private final AtomicInteger wakeUps = new AtomicInteger();
    private volatile LockClock.Scheduled nextTurn = () -> {};
    private volatile LockClock.Scheduled deadline = () -> {};

    /** @param atOnce asks once, for a wait of zero */
    AsyncWait(
            Parts parts,
            Roll roll,
            Lines lines,
            Attempt attempt,
            LockName name,
            LockOptions lock,
            Duration wait,
            Callable<Lease> atOnce) {
        this.parts = parts;
        this.atOnce = atOnce;
        this.roll = roll;
        this.lines = lines;
        this.waiter = new Waiter(name, lock, parts.clock().nanoTime(), wait, this::wake);
        this.wait = new Wait(parts, roll, lines, attempt, waiter);
    }

    /** Begins to wait; a wait of zero is one request, made at once. */
    CompletableFuture<Lease> start() {
        try {
            roll.enter(call);
        } catch (IllegalStateException managerClosed) {
            return CompletableFuture.failedFuture(managerClosed);
        }
        if (!waiter.waitsNot()) {
            lines.join(waiter);
            Duration left = Duration.ofNanos(waiter.leftNanos(parts.clock().nanoTime()));
            deadline = parts.workers().after(left, this::timeIsUp);
        }
        CompletableFuture<Lease> unused = future.whenComplete((lease, failure) -> settle());
        wake();
        cancelIfSettled();
        return future;
    }

    private void wake() {
        if (wakeUps.getAndIncrement() == 0) {
            parts.heads().execute(this::takeTurns);
        }
    }

    private void takeTurns() {
        int seen;
        do {
            seen = wakeUps.get();
            takeTurn();
        } while (!wakeUps.compareAndSet(seen, 0));
    }

    private void takeTurn() {
        nextTurn.cancel();
        if (settled.get()) {
            return;
        }
        try {
            Optional<Lease> lease = waiter.waitsNot() ? Optional.of(atOnce.call()) : wait.turn();
            if (lease.isPresent()) {
                succeed(lease.get());
            } else {
                nextTurn = parts.workers().after(wait.rest(), this::wake);
                cancelIfSettled();
            }
        } catch (InterruptedException managerClosed) {
            managerCloses();
        } catch (Exception | Error e) {
            fail(e);
        }
    }

    private void succeed(Lease lease) {
        if (!settle()) {
            lease.release();
            return;
        }
        parts.completions().execute(() -> {
            if (!future.complete(lease)) {
                parts.heads().execute(lease::release);
            }
        });
    }

    private void fail(Throwable failure) {
        if (settle()) {
            if (failure instanceof LockTimeoutException && !waiter.waitsNot()) {
                wait.tellTimedOut();
            }
            parts.completions().execute(() -> future.completeExceptionally(failure));
        }
    }

    /** A request that is on its way ends by itself at the deadline, and may be granted. */
    private void timeIsUp() {
        if (!settled.get() && lines.mayGiveUp(waiter)) {
            fail(lines.tooLate(waiter));
        }
    }

    private void managerCloses() {
        fail(Roll.closed());
    }

    /** Ends the wait; true for the one who may say how. */
    private boolean settle() {
        if (!settled.compareAndSet(false, true)) {
            return false;
        }
        cancelIfSettled();
        lines.leave(waiter).ifPresent(lease -> parts.heads().execute(lease::release));
        roll.leave(call);
        return true;
    }

    private void cancelIfSettled() {
        if (settled.get()) {
            deadline.cancel();
            nextTurn.cancel();
        }
    }
}
