// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.Lease;
import io.polylock.LockEvent.WokenBy;
import io.polylock.LossCause;
import io.polylock.ManagerOptions;
import io.polylock.internal.Attempt.Answer;
import io.polylock.spi.BackendFeature;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockClock;
import io.polylock.spi.LockName;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The one engine: everything between the locks of an application and a backend. Thread-safe. */
public final class Engine {

    private final Parts parts;
    private final Roll roll;
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
        this.attempt = new Attempt(parts, roll, options.label());
        this.closeGrace = options.closeGrace();
    }

    public Optional<Lease> tryAcquire(LockName name, LockOptions lock) throws InterruptedException {
        lock.checkTogether(parts.numbers());
        LockClock.Pause call = roll.enter();
        try {
            Attempt.Ask ask = new Attempt.Ask(parts.clock().nanoTime(), WokenBy.FIRST_ASK);
            Answer answer = attempt.make(name, lock, parts.answerWithin(), ask);
            if (answer instanceof Answer.Failed failed) {
                throw failed.failure();
            }
            if (answer instanceof Answer.Busy busy) {
                parts.observers().contended(name, busy.freeIn());
            }
            return answer instanceof Answer.Got got ? Optional.of(got.lease()) : Optional.empty();
        } finally {
            roll.leave(call);
        }
    }

    public Lease acquire(LockName name, LockOptions lock, Duration wait) throws InterruptedException {
        Checks.notNegative("a wait", wait);
        lock.checkTogether(parts.numbers());
        LockClock.Pause call = roll.enter();
        try {
            return new Wait(parts, roll, attempt, name, wait, call).untilGranted(lock);
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
