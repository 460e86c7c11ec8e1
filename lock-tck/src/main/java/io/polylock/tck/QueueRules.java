// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import io.polylock.DistributedLock;
import io.polylock.Lease;
import io.polylock.LockManager;
import io.polylock.spi.LockRequest;
import io.polylock.spi.ReleaseSignals;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** What the groups of rules about waiting share. */
abstract class QueueRules extends Rules {

    /** A wait that no rule sits out. */
    static final Duration PATIENCE = Duration.ofMinutes(10);

    /** The latest moment for a safety poll: 5 s under signals, 1 s without, 20 % later at most. */
    static final Duration SAFETY_POLL = Duration.ofSeconds(6);

    QueueRules(Supplier<Stage> stage) {
        super(stage);
    }

    /** One manager whose waiters a rule looks at, and a lock that somebody else may hold. */
    final class Queue {

        final Tampered backend;
        final Ear ear = new Ear();
        final LockManager manager;
        final String name = stage().name();
        final DistributedLock lock;

        Queue(Tampered backend) {
            this.backend = backend;
            this.manager = stage().manager(backend, ear);
            this.lock = stage().fixed(manager, name, Stage.LONG_TTL);
        }

        /** Another client takes the lock. */
        Held takenByAnother() {
            return heldBy(stage().tampered());
        }

        private Held heldBy(Tampered other) {
            return new Held(other, taken(other, name, Stage.LONG_TTL));
        }

        /** Starts to wait, and returns when that one is in line. */
        <T> Stage.Worker<T> join(Callable<T> waiting) {
            int before = ear.contended();
            Stage.Worker<T> waiter = stage().fork(waiting);
            inLineAfter(before);
            return waiter;
        }

        Stage.Worker<Lease> join(Duration wait) {
            return join(() -> lock.acquire(wait));
        }

        CompletableFuture<Lease> joinAsync(Duration wait) {
            int before = ear.contended();
            CompletableFuture<Lease> future = lock.acquireAsync(wait);
            inLineAfter(before);
            return future;
        }

        private void inLineAfter(int before) {
            stage().eventually("the waiter is in line", Stage.SOON, () -> ear.contended() > before);
        }

        /** The first in line listens, has asked again since, and rests. */
        void settle(int asked) {
            stage().eventually(
                            "the first in line listens and asks once more",
                            Stage.SOON,
                            () -> backend.listening() == 1 && backend.acquires.get() >= asked + 2);
            stage().elapse(Duration.ofMillis(50));
        }
    }

    /** A lock in the hands of another client. */
    record Held(Tampered backend, LockRequest request) {

        void release() {
            assertHeld(backend.release(request));
        }
    }

    /** On a store with signals. */
    Queue signalled() {
        Tampered backend = stage().tampered();
        stage().feature(backend, ReleaseSignals.class);
        return new Queue(backend);
    }
}
