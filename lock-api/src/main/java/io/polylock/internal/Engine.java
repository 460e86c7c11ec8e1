// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.Lease;
import io.polylock.LockEvent.WokenBy;
import io.polylock.LockTimeoutException;
import io.polylock.LossCause;
import io.polylock.ManagerOptions;
import io.polylock.internal.Attempt.Answer;
import io.polylock.spi.BackendFeature;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockClock;
import io.polylock.spi.LockName;
import io.polylock.spi.ReleaseSignals;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The one engine: everything between the locks of an application and a backend. Thread-safe. */
public final class Engine {

    private final Parts parts;
    private final Roll roll;
    private final Lines lines;
    private final Attempt attempt;
    private final Duration closeGrace;

    public Engine(LockBackend backend, ManagerOptions options) {
        this(backend, options, Numbers.DEFAULTS);
    }

    public Engine(LockBackend backend, ManagerOptions options, Numbers numbers) {
        Objects.requireNonNull(backend, "backend");
        Objects.requireNonNull(options, "options");
        Observers observers = Observers.of(options.listeners(), options.clock());
        this.parts = Parts.of(backend, options.clock(), numbers, options.answerWithin(), observers);
        this.roll = new Roll(options.clock());
        this.lines = new Lines(
                options.clock(), numbers, backend.feature(ReleaseSignals.class).isPresent());
        this.attempt = new Attempt(parts, new Grants(parts, roll, lines), options.label());
        this.closeGrace = options.closeGrace();
    }

    public Optional<Lease> tryAcquire(LockName name, LockOptions lock) throws InterruptedException {
        lock.checkTogether(parts.numbers());
        Answer answer = askOnce(name, lock);
        return answer instanceof Answer.Got got ? Optional.of(got.lease()) : Optional.empty();
    }

    public Lease acquire(LockName name, LockOptions lock, Duration wait) throws InterruptedException {
        Checks.notNegative("a wait", wait);
        lock.checkTogether(parts.numbers());
        if (wait.isZero()) {
            return acquireAtOnce(name, lock);
        }
        LockClock.Pause pause = parts.clock().newPause();
        Roll.Call call = new Roll.Call(pause::wake);
        roll.enter(call);
        try {
            Waiter waiter = new Waiter(name, lock, parts.clock().nanoTime(), wait, pause::wake);
            return new Wait(parts, roll, lines, attempt, waiter).untilGranted(pause);
        } finally {
            roll.leave(call);
        }
    }

    public CompletableFuture<Lease> acquireAsync(LockName name, LockOptions lock, Duration wait) {
        Checks.notNegative("a wait", wait);
        lock.checkTogether(parts.numbers());
        return new AsyncWait(parts, roll, lines, attempt, name, lock, wait, () -> acquireAtOnce(name, lock)).start();
    }

    private Lease acquireAtOnce(LockName name, LockOptions lock) throws InterruptedException {
        Answer answer = askOnce(name, lock);
        if (answer instanceof Answer.Got got) {
            return got.lease();
        }
        parts.observers().timedOut(name, 0);
        throw new LockTimeoutException(name.value(), Duration.ZERO, ((Answer.Busy) answer).freeIn(), Optional.empty());
    }

    private Answer askOnce(LockName name, LockOptions lock) throws InterruptedException {
        Roll.Call call = new Roll.Call(() -> {}); // one request: it ends by itself
        roll.enter(call);
        try {
            long now = parts.clock().nanoTime();
            Attempt.Ask ask = new Attempt.Ask(now, WokenBy.FIRST_ASK, Run.NONE);
            Answer answer = attempt.make(name, lock, parts.answerWithin(), ask);
            if (answer instanceof Answer.Failed failed) {
                throw failed.failure();
            }
            if (answer instanceof Answer.Busy busy) {
                parts.observers().contended(name, busy.freeIn());
            }
            return answer;
        } finally {
            roll.leave(call);
        }
    }

    public <F extends BackendFeature> Optional<F> feature(Class<F> type) {
        return parts.backend().feature(type);
    }

    public void close() {
        if (!roll.beginClosing()) {
            return;
        }
        boolean interrupted = false;
        try {
            roll.awaitNoLeases(closeGrace);
            roll.awaitNoCalls(parts.answerWithin());
        } catch (InterruptedException e) {
            interrupted = true;
        }
        try {
            Interrupts.shield(this::endAll);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private @Nullable Void endAll() {
        try {
            roll.leases().forEach(lease -> lease.lose(LossCause.CLOSED));
            parts.workers().close();
            parts.completions().close();
            parts.undo().close();
            parts.observers().close();
        } finally {
            closeBackend();
        }
        return null;
    }

    private void closeBackend() {
        try {
            parts.backend().close();
        } catch (RuntimeException e) {
            Log.quietly(Level.WARNING, () -> "closing the backend failed", e);
        }
    }
}
