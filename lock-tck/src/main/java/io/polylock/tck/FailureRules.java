// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.polylock.DistributedLock;
import io.polylock.Lease;
import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.LockManager;
import io.polylock.ReleaseOutcome;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** FLT: what becomes of a request that got no answer. */
abstract class FailureRules extends Rules {

    FailureRules(Supplier<Stage> stage) {
        super(stage);
    }

    private static LockBackendException assertUnknown(Throwable failure) {
        LockBackendException exception = assertInstanceOf(LockBackendException.class, failure);
        assertEquals(Outcome.UNKNOWN, exception.outcome());
        return exception;
    }

    /** Loses the first answers. */
    private static Tampered.Fault losingReplies(int count) {
        AtomicInteger left = new AtomicInteger(count);
        return new Tampered.Fault() {
            @Override
            public <T> T around(Supplier<T> request) {
                return left.getAndDecrement() > 0 ? Tampered.Fault.LOSE_REPLY.around(request) : request.get();
            }
        };
    }

    @Test
    @DisplayName("FLT-1 MUST NOT report a failure as acquired or as contended, nor run the body")
    void flt1_aFailureIsNeverAnAnswer() {
        Tampered backend = stage().tampered();
        DistributedLock lock = stage().fixed(stage().manager(backend), stage().name(), Stage.LONG_TTL);
        AtomicBoolean ran = new AtomicBoolean();

        for (Tampered.Fault fault : new Tampered.Fault[] {Tampered.Fault.LOSE_REQUEST, Tampered.Fault.UNREACHABLE}) {
            backend.onAcquire = fault;
            assertThrows(LockBackendException.class, lock::tryAcquire);
            assertThrows(LockBackendException.class, () -> lock.run(Duration.ZERO, lease -> ran.set(true)));
        }
        assertFalse(ran.get(), "the body ran without the lock");
    }

    @Test
    @DisplayName("FLT-2 MUST undo an acquire whose answer was lost, long before its TTL ends")
    void flt2_anUnknownAcquireIsUndone() {
        Tampered backend = stage().tampered();
        LockBackend other = stage().backend();
        String name = stage().name();
        DistributedLock lock = stage().fixed(stage().manager(backend), name, Stage.LONG_TTL);
        backend.onAcquire = Tampered.Fault.LOSE_REPLY;

        assertUnknown(assertThrows(LockBackendException.class, lock::tryAcquire));

        stage().eventually("the orphan is gone", Stage.SOON, () -> stage().isFree(other, name));
    }

    @Test
    @DisplayName("FLT-3 MUST try again within the wait when an answer was lost")
    void flt3_aWaitOutlivesALostAnswer() {
        Tampered backend = stage().tampered();
        DistributedLock lock = stage().fixed(stage().manager(backend), stage().name(), Stage.LONG_TTL);
        backend.onAcquire = losingReplies(1);

        Stage.Worker<Lease> waiter = stage().fork(() -> lock.acquire(Duration.ofSeconds(20)));

        assertTrue(stage().join(waiter, Stage.SOON).isHeld());
    }

    @Test
    @DisplayName("FLT-4 MUST undo a request also when it reaches the store after the first undo")
    void flt4_anUndoThatOvertookItsRequestIsRepeated() {
        Tampered backend = stage().tampered();
        LockBackend other = stage().backend();
        String name = stage().name();
        DistributedLock lock = stage().fixed(stage().manager(backend), name, Stage.LONG_TTL);
        Queue<Supplier<?>> delayed = new ConcurrentLinkedQueue<>();
        backend.onAcquire = new Tampered.Fault() {
            @Override
            public <T> T around(Supplier<T> request) {
                delayed.add(request);
                return Tampered.Fault.LOSE_REQUEST.around(request);
            }
        };
        assertUnknown(assertThrows(LockBackendException.class, lock::tryAcquire));
        stage().eventually("the first undo was sent", Stage.SOON, () -> backend.releases.get() >= 1);

        arrivesNow(delayed.remove());

        stage().eventually("the late grant is gone", Stage.SOON, () -> stage().isFree(other, name));
    }

    @SuppressWarnings("ReturnValueIgnored") // its answer reaches nobody
    private static void arrivesNow(Supplier<?> request) {
        request.get();
    }

    @Test
    @DisplayName("FLT-5 MUST NOT touch anybody else's lock when it undoes")
    void flt5_anUndoHarmsNobody() {
        Tampered backend = stage().tampered();
        LockBackend other = stage().backend();
        String name = stage().name();
        LockRequest holder = taken(other, name, Stage.LONG_TTL);
        DistributedLock lock = stage().fixed(stage().manager(backend), name, Stage.LONG_TTL);
        backend.onAcquire = Tampered.Fault.LOSE_REPLY;

        assertUnknown(assertThrows(LockBackendException.class, lock::tryAcquire));
        stage().eventually("the undo is over", Stage.SOON, () -> backend.releases.get() >= 2);

        assertContended(other.tryAcquire(stage().request(name, Stage.LONG_TTL)));
        assertHeld(other.release(holder));
    }

    @Test
    @DisplayName(
            "FLT-6 MUST say UNKNOWN when a release got no answer, repeat it in the background, and ask again when asked again")
    void flt6_anUnknownReleaseIsRepeated() throws Exception {
        Tampered backend = stage().tampered();
        LockBackend other = stage().backend();
        String name = stage().name();
        DistributedLock lock = stage().fixed(stage().manager(backend), name, Stage.LONG_TTL);
        Lease lease = got(lock.tryAcquire());
        backend.onRelease = Tampered.Fault.UNREACHABLE;

        assertEquals(ReleaseOutcome.UNKNOWN, lease.release());
        lease.close();
        assertFalse(lease.isHeld());
        backend.onRelease = Tampered.Fault.NONE;

        stage().eventually("the lock is free", Stage.SOON, () -> stage().isFree(other, name));

        Lease next = got(lock.tryAcquire());
        backend.onRelease = Tampered.Fault.LOSE_REQUEST;
        assertEquals(ReleaseOutcome.UNKNOWN, next.release());
        backend.onRelease = Tampered.Fault.NONE;
        int requests = backend.releases.get();
        ReleaseOutcome again = next.release();
        assertTrue(again != ReleaseOutcome.UNKNOWN && backend.releases.get() > requests, "it did not ask again");
        assertTrue(stage().isFree(other, name));
    }

    @Test
    @DisplayName(
            "FLT-7 MUST say that an unreachable store is unavailable, within the bound of a request, and never contended")
    void flt7_anUnreachableStoreIsUnavailable() {
        LockManager manager = stage().manager(stage().unreachableBackend());
        long start = stage().nanos();

        LockBackendException failure = assertThrows(
                LockBackendException.class, () -> manager.lock(stage().name()).tryAcquire());

        assertEquals(Outcome.NOT_APPLIED, failure.outcome());
        Duration took = stage().since(start);
        assertTrue(took.compareTo(Duration.ofSeconds(4)) < 0, "it took " + took);
    }

    @Test
    @DisplayName("FLT-8 MUST hold nothing after an interrupt that came while the store granted the lock")
    void flt8_anInterruptDuringTheGrantLeavesNothing() {
        Tampered backend = stage().tampered();
        String name = stage().name();
        DistributedLock lock = stage().fixed(stage().manager(backend), name, Stage.LONG_TTL);
        backend.onAcquire = new Tampered.Fault() {
            @Override
            public <T> T around(Supplier<T> request) {
                T answer = request.get();
                Thread.currentThread().interrupt();
                return answer;
            }
        };

        Stage.Worker<Optional<Lease>> interrupted = stage().fork(lock::tryAcquire);

        assertInstanceOf(InterruptedException.class, stage().failure(interrupted, Stage.SOON));
        assertTrue(stage().isFree(stage().backend(), name), "an interrupted thread holds the lock");
    }

    @Test
    @DisplayName("FLT-9 MUST end a wait at once when its thread is interrupted, with nothing held")
    void flt9_anInterruptEndsTheWait() {
        LockBackend other = stage().backend();
        String name = stage().name();
        LockRequest holder = taken(other, name, Stage.LONG_TTL);
        DistributedLock lock = stage().fixed(stage().manager(), name, Stage.LONG_TTL);
        Stage.Worker<Lease> waiter = stage().fork(() -> lock.acquire(Duration.ofMinutes(10)));
        stage().elapse(Duration.ofMillis(300));

        stage().interrupt(waiter);

        assertInstanceOf(InterruptedException.class, stage().failure(waiter, Stage.SOON));
        assertHeld(other.release(holder));
        stage().elapse(Duration.ofMillis(100));
        assertTrue(stage().isFree(other, name), "the interrupted waiter took the lock");
    }

    @Test
    @DisplayName("FLT-10 MUST report at once what trying again does not mend")
    void flt10_aRefusalIsReportedAtOnce() {
        Tampered backend = stage().tampered();
        DistributedLock lock = stage().fixed(stage().manager(backend), stage().name(), Stage.LONG_TTL);
        backend.onAcquire = Tampered.Fault.REFUSE;

        Stage.Worker<Lease> waiter = stage().fork(() -> lock.acquire(Duration.ofMinutes(10)));
        LockBackendException refusal =
                assertInstanceOf(LockBackendException.class, stage().failure(waiter, Stage.PROMPT));

        assertEquals(Outcome.REFUSED, refusal.outcome());
        assertEquals(1, backend.acquires.get());
    }

    @Test
    @DisplayName(
            "FLT-11 MUST keep the deadline of a wait while the store does not answer, and then say that it did not")
    void flt11_aDeadStoreDoesNotProlongAWait() {
        Tampered backend = stage().tampered();
        DistributedLock lock = stage().fixed(stage().manager(backend), stage().name(), Stage.LONG_TTL);
        backend.onAcquire = Tampered.Fault.LOSE_REQUEST;
        Duration wait = Duration.ofMillis(500);

        long start = stage().nanos();
        Stage.Worker<Lease> waiter = stage().fork(() -> lock.acquire(wait));

        assertUnknown(stage().failure(waiter, Stage.SOON));
        Duration took = stage().since(start);
        assertTrue(took.compareTo(wait) >= 0 && took.compareTo(Stage.SOON) < 0, "it took " + took);
        assertTrue(backend.acquires.get() > 1, "it did not try again");
    }

    @Test
    @DisplayName("FLT-12 MUST lose the lease, loudly, when the store forgot it")
    void flt12_aForgetfulStoreIsALoss() throws Exception {
        String name = stage().name();
        Lease lease =
                got(stage().manager().lock(name).withTtl(Stage.RENEWED_TTL).tryAcquire());

        stage().restartStoreEmpty();

        stage().eventually("the loss is noticed", Stage.SOON, () -> !lease.isHeld());
        assertEquals(ReleaseOutcome.NOT_HELD, lease.release());
    }

    @Test
    @DisplayName(
            "FLT-13 MUST end every request within its bound while the store hangs, never with an answer; and what it called not applied MUST NOT be done afterwards")
    void flt13_aHangingStoreGivesNoAnswer() {
        LockBackend backend = stage().backend();
        Duration bound = Duration.ofMillis(500);
        LockRequest holder = taken(backend, stage().name(), Stage.LONG_TTL).withAnswerWithin(bound);
        LockRequest wanted = stage().request(stage().name(), Stage.LONG_TTL).withAnswerWithin(bound);

        stage().hangStore();
        Outcome acquired;
        try {
            acquired = unanswered(bound, () -> backend.tryAcquire(wanted));
            unanswered(bound, () -> backend.renew(holder));
            unanswered(bound, () -> backend.release(holder));
        } finally {
            stage().resumeStore();
        }

        if (acquired == Outcome.NOT_APPLIED) {
            assertTrue(stage().isFree(backend, wanted.name().value()), "what was not applied was done");
        }
    }

    private Outcome unanswered(Duration bound, Executable request) {
        long start = stage().nanos();
        LockBackendException failure = assertThrows(LockBackendException.class, request);
        Duration took = stage().since(start);
        assertTrue(took.compareTo(bound.multipliedBy(4)) < 0, "a request bounded by " + bound + " took " + took);
        assertTrue(failure.outcome() != Outcome.REFUSED, "a hanging store refuses nothing");
        return failure.outcome();
    }
}
