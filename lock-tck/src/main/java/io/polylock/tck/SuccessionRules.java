// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.polylock.DistributedLock;
import io.polylock.Lease;
import io.polylock.LockException;
import io.polylock.LockManager;
import io.polylock.ReleaseOutcome;
import io.polylock.spi.Handover;
import io.polylock.spi.LockBackend;
import io.polylock.spi.ReleaseSignals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** HND: how the engine uses the hand-over between the waiters of one manager. */
abstract class SuccessionRules extends QueueRules {

    /** How often in a row a manager may hand a lock over to itself. */
    private static final int LONGEST_RUN = 16;

    SuccessionRules(Supplier<Stage> stage) {
        super(stage);
    }

    private Queue passing() {
        Tampered backend = stage().tampered();
        stage().feature(backend, Handover.class);
        return new Queue(backend);
    }

    @Test
    @DisplayName(
            "HND-4 MUST pass a released lock to the first in line of the same manager with one request and a larger token; the giver's lease is over")
    void hnd4_aReleaseServesTheNextInLine() throws Exception {
        Queue queue = passing();
        Lease giver = got(queue.lock.tryAcquire());
        Stage.Worker<Lease> heir = queue.join(PATIENCE);
        Stage.Worker<Lease> last = queue.join(PATIENCE);

        assertEquals(ReleaseOutcome.RELEASED, giver.release());

        Lease inherited = stage().join(heir, Stage.PROMPT);
        assertFalse(last.result().isDone(), "two hold the lock");
        assertFalse(giver.isHeld());
        assertTrue(inherited.isHeld());
        giver.fencingToken()
                .ifPresent(
                        given -> assertTrue(inherited.fencingToken().orElseThrow() > given, "the token did not grow"));
        assertEquals(ReleaseOutcome.RELEASED, giver.release(), "a second release");
        assertEquals(
                List.of(1, 1, 0),
                List.of(queue.backend.acquires.get(), queue.backend.handovers.get(), queue.backend.releases.get()),
                "acquires, hand-overs and releases");
        inherited.close();
        stage().join(last, Stage.PROMPT).close();
        assertTrue(stage().isFree(stage().backend(), queue.name));
    }

    @Test
    @DisplayName(
            "HND-5 MUST let a waiter of another manager in after 16 hand-overs or 50 ms of them, if the store signals")
    void hnd5_aRunOfHandoversIsBounded() {
        Queue queue = passing();
        stage().feature(queue.backend, ReleaseSignals.class);
        Tampered foreign = stage().tampered();
        DistributedLock wanted = stage().fixed(stage().manager(foreign), queue.name, Stage.LONG_TTL);
        AtomicBoolean waits = new AtomicBoolean();
        AtomicBoolean served = new AtomicBoolean();
        AtomicInteger others = new AtomicInteger();
        int most = 2_000;

        List<Stage.Worker<Void>> insiders = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            insiders.add(stage().fork(() -> {
                while (!served.get() && others.get() < most) {
                    queue.lock.run(PATIENCE, lease -> {
                        stage().elapse(Duration.ofMillis(1));
                        if (waits.get() && !served.get()) {
                            others.incrementAndGet();
                        }
                    });
                }
                return null;
            }));
        }
        stage().eventually("the lock is passed on", Stage.SOON, () -> queue.backend.handovers.get() > 0);
        Stage.Worker<Lease> outsider = stage().fork(() -> wanted.acquire(PATIENCE));
        stage().eventually(
                        "the outsider listens",
                        Stage.SOON,
                        () -> foreign.listening() == 1 || outsider.result().isDone());
        waits.set(true);

        Lease lease = stage().join(outsider, Stage.SOON.multipliedBy(2));
        served.set(true);
        lease.close();
        insiders.forEach(insider -> stage().join(insider, Stage.SOON));
        int bound = stage().timeIsVirtual() ? LONGEST_RUN + 1 : most - 1;
        assertTrue(others.get() <= bound, others.get() + " others were served before the outsider");
    }

    @Test
    @DisplayName("HND-6 MUST hand on or free what was handed over to one who gave up meanwhile")
    void hnd6_nobodyInheritsInVain() throws Exception {
        Queue cancelled = passing();
        CompletableFuture<CompletableFuture<Lease>> heir = new CompletableFuture<>();
        givesUpDuring(cancelled, 1, () -> heir.join().cancel(false), () -> {
            heir.complete(cancelled.joinAsync(PATIENCE));
            return heir.join();
        });
        assertTrue(heir.join().isCancelled());

        Queue interrupted = passing();
        CompletableFuture<Stage.Worker<Lease>> thread = new CompletableFuture<>();
        givesUpDuring(
                interrupted,
                0,
                () -> {
                    stage().interrupt(thread.join());
                    stage().eventually(
                                    "the heir has gone",
                                    Stage.SOON,
                                    thread.join().result()::isDone);
                },
                () -> {
                    thread.complete(interrupted.join(PATIENCE));
                    return thread.join().result();
                });
        assertInstanceOf(InterruptedException.class, stage().failure(thread.join(), Stage.SOON));

        Queue late = passing();
        CompletableFuture<Stage.Worker<Lease>> hasty = new CompletableFuture<>();
        givesUpDuring(
                late,
                1,
                () -> stage().eventually(
                                "the heir's time is up",
                                Stage.SOON,
                                hasty.join().result()::isDone),
                () -> {
                    hasty.complete(late.join(Duration.ofMillis(300)));
                    return hasty.join().result();
                });
        assertInstanceOf(LockException.class, stage().failure(hasty.join(), Stage.SOON));
    }

    /** The heir gives up when the store has handed over; those next in line must be served, and the lock be free then. */
    private void givesUpDuring(
            Queue queue, int followers, Runnable givingUp, Supplier<CompletableFuture<Lease>> joining)
            throws Exception {
        Lease giver = got(queue.lock.tryAcquire());
        CompletableFuture<Lease> heir = joining.get();
        List<Stage.Worker<Lease>> next = new ArrayList<>();
        for (int i = 0; i < followers; i++) {
            next.add(queue.join(PATIENCE));
        }
        AtomicInteger times = new AtomicInteger();
        queue.backend.onHandOver = new Tampered.Fault() {
            @Override
            public <T> T around(Supplier<T> request) {
                T answer = request.get();
                if (times.getAndIncrement() == 0) {
                    givingUp.run();
                }
                return answer;
            }
        };

        giver.release();

        stage().eventually("the heir gave up", Stage.SOON, heir::isCompletedExceptionally);
        next.forEach(follower -> stage().join(follower, Stage.PROMPT).close());
        stage().eventually("the lock is free", Stage.PROMPT, () -> stage().isFree(stage().backend(), queue.name));
    }

    @Test
    @DisplayName(
            "HND-7 MUST lock nobody out for a TTL, nor let two in, when a hand-over got no answer; the release says UNKNOWN")
    void hnd7_anUnknownHandoverIsUndone() throws Exception {
        unanswered(Tampered.Fault.LOSE_REPLY);
        unanswered(Tampered.Fault.LOSE_REQUEST);
    }

    private void unanswered(Tampered.Fault fault) throws Exception {
        Tampered backend = stage().tampered();
        stage().feature(backend, Handover.class);
        Ear ear = new Ear();
        LockManager manager = stage().manager(backend, options -> options.withAnswerWithin(Duration.ofMillis(500))
                .withListener(ear));
        DistributedLock lock = stage().fixed(manager, stage().name(), Stage.LONG_TTL);
        LockBackend other = stage().backend();
        Lease giver = got(lock.tryAcquire());
        Stage.Worker<Lease> heir = stage().fork(() -> lock.acquire(PATIENCE));
        stage().eventually("the heir is in line", Stage.SOON, () -> ear.contended() == 1);
        AtomicInteger times = new AtomicInteger();
        backend.onHandOver = new Tampered.Fault() {
            @Override
            public <T> T around(Supplier<T> request) {
                return times.getAndIncrement() == 0 ? fault.around(request) : request.get();
            }
        };

        assertEquals(ReleaseOutcome.UNKNOWN, giver.release());

        Lease lease = stage().join(heir, Stage.SOON);
        for (int i = 0; i < 15; i++) {
            assertContended(other.tryAcquire(stage().request(lock.name(), Stage.LONG_TTL)));
            stage().elapse(Duration.ofMillis(100));
        }
        assertTrue(lease.isHeld());
        assertEquals(ReleaseOutcome.RELEASED, lease.release());
        assertTrue(stage().isFree(other, lock.name()));
    }
}
