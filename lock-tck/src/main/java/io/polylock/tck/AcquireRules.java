// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.polylock.DistributedLock;
import io.polylock.Lease;
import io.polylock.LockManager;
import io.polylock.LockTimeoutException;
import io.polylock.spi.Acquisition;
import io.polylock.spi.Holder;
import io.polylock.spi.Inspection;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockRequest;
import io.polylock.spi.Ownership;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** ACQ: who gets a lock, and what the others are told. */
abstract class AcquireRules extends Rules {

    AcquireRules(Supplier<Stage> stage) {
        super(stage);
    }

    @Test
    @DisplayName("ACQ-1 MUST grant a free lock to the first owner who asks, and answer contended to every other one")
    void acq1_grantsAFreeLockToOneOwnerOnly() {
        LockBackend first = stage().backend();
        LockBackend second = stage().backend();
        String name = stage().name();

        taken(first, name, Stage.LONG_TTL);

        assertContended(second.tryAcquire(stage().request(name, Stage.LONG_TTL)));
        assertContended(first.tryAcquire(stage().request(name, Stage.LONG_TTL)));
    }

    @Test
    @DisplayName("ACQ-2 MUST change nothing when it answers contended, and tell no more than what is left of the TTL")
    void acq2_aRefusalLeavesNoTrace() {
        LockBackend backend = stage().backend();
        String name = stage().name();
        LockRequest holder = taken(backend, name, Stage.LONG_TTL);

        for (int i = 0; i < 3; i++) {
            Acquisition.Contended refused =
                    assertContended(backend.tryAcquire(stage().request(name, Duration.ofHours(10))));
            refused.freeIn().ifPresent(left -> {
                assertTrue(left.compareTo(Stage.LONG_TTL) <= 0, "freeIn " + left + " is more than the TTL");
                assertFalse(left.isNegative() || left.isZero(), "freeIn " + left + " of a held lock is not positive");
            });
        }
        assertHeld(backend.release(holder));
        taken(backend, name, Stage.LONG_TTL);
    }

    @Test
    @DisplayName("ACQ-3 MUST NOT let the same thread in a second time")
    void acq3_isNotReentrant() throws Exception {
        LockManager manager = stage().manager();
        DistributedLock lock = stage().fixed(manager, stage().name(), Stage.LONG_TTL);

        try (Lease lease = got(lock.tryAcquire())) {
            assertTrue(lock.tryAcquire().isEmpty(), "the thread that holds the lock acquired it again");
            assertTrue(lease.isHeld());
        }
        got(lock.tryAcquire()).close();
    }

    @Test
    @DisplayName(
            "ACQ-4 MUST answer a repeated request under one owner token like the first: granted, with the same fencing token,"
                    + " its expiry restarted, and one release ends it")
    void acq4_aRepeatedRequestIsTheSameRequest() throws Exception {
        LockBackend backend = stage().backend();
        stage().timely(() -> {
            LockRequest request = stage().request(stage().name(), Stage.TTL);
            long start = stage().nanos();
            Acquisition.Granted first = assertGranted(backend.tryAcquire(request));
            stage().elapse(Stage.TTL.dividedBy(2));
            long restarted = stage().nanos();
            Acquisition again = backend.tryAcquire(request);
            stage().notLater(start, Stage.TTL);
            assertEquals(first, again, "a repeated request must be answered like the first one");

            stage().elapse(Stage.TTL.multipliedBy(3).dividedBy(4));
            Acquisition other =
                    backend.tryAcquire(stage().request(request.name().value(), Stage.TTL));
            Ownership released = backend.release(request);
            Ownership secondRelease = backend.release(request);
            stage().notLater(restarted, Stage.TTL);
            assertContended(other);
            assertHeld(released);
            assertEquals(Ownership.ABSENT, secondRelease, "a lock was counted twice");
        });
    }

    @Test
    @DisplayName("ACQ-5 MUST keep the locks of distinct names apart")
    void acq5_namesDoNotCollide() {
        LockBackend backend = stage().backend();
        List<String> names = new ArrayList<>(List.of("Aa", "BB", "AaAa", "BBBB", "AaBB", "a", "A", "a ", "a:b", "a/b"));
        names.replaceAll(name -> stage().name() + name);
        for (int i = 0; i < 200; i++) {
            names.add(stage().name());
        }
        String prefix = stage().name();
        names.addAll(List.of(prefix + "Aa", prefix + "BB", prefix + "aa", prefix + "Aa "));

        List<LockRequest> held =
                names.stream().map(name -> taken(backend, name, Stage.LONG_TTL)).toList();

        held.forEach(request -> assertHeld(backend.release(request)));
    }

    @Test
    @DisplayName("ACQ-6 MUST ask exactly once, without a pause, when the wait is zero")
    void acq6_aWaitOfZeroIsOneAttempt() throws Exception {
        Tampered backend = stage().tampered();
        DistributedLock lock = stage().fixed(stage().manager(backend), stage().name(), Stage.LONG_TTL);

        try (Lease lease = lock.acquire(Duration.ZERO)) {
            assertTrue(lease.isHeld());
            assertEquals(1, backend.acquires.get());
            Stage.Worker<Lease> other = stage().fork(() -> lock.acquire(Duration.ZERO));
            assertInstanceOf(LockTimeoutException.class, stage().failure(other, Stage.SOON));
            assertEquals(2, backend.acquires.get());
        }
    }

    @Test
    @DisplayName("ACQ-7 MUST give a released lock to somebody who waits for it, however long its TTL was")
    void acq7_aWaiterGetsAReleasedLock() throws Exception {
        String name = stage().name();
        Lease holder =
                got(stage().fixed(stage().manager(), name, Stage.LONG_TTL).tryAcquire());
        DistributedLock wanted = stage().fixed(stage().manager(), name, Stage.LONG_TTL);

        Stage.Worker<Lease> waiter = stage().fork(() -> wanted.acquire(Duration.ofSeconds(30)));
        stage().elapse(Duration.ofMillis(300));
        holder.close();

        stage().join(waiter, Stage.SOON).close();
    }

    @Test
    @DisplayName("ACQ-8 MUST end a wait at its deadline with nothing held, and say what it knows of the holder")
    void acq8_aWaitEndsAtItsDeadline() throws Exception {
        LockBackend backend = stage().backend();
        String name = stage().name();
        LockRequest holder = taken(backend, name, Stage.LONG_TTL);
        DistributedLock wanted = stage().fixed(stage().manager(), name, Stage.LONG_TTL);
        Duration wait = Duration.ofMillis(400);

        long start = stage().nanos();
        Stage.Worker<Lease> waiter = stage().fork(() -> wanted.acquire(wait));
        LockTimeoutException timeout =
                assertInstanceOf(LockTimeoutException.class, stage().failure(waiter, Stage.SOON));

        assertTrue(stage().since(start).compareTo(wait) >= 0, "the wait ended early, after " + stage().since(start));
        assertEquals(name, timeout.lockName());
        timeout.freeIn().ifPresent(left -> assertTrue(left.compareTo(Stage.LONG_TTL) <= 0, "freeIn " + left));
        Optional<String> label = backend.feature(Inspection.class)
                .flatMap(inspection -> inspection.inspect(holder.name(), Stage.SOON))
                .flatMap(Holder::label);
        assertEquals(label, timeout.holderLabel(), "the holder's label");
        assertHeld(backend.release(holder));
        assertTrue(stage().isFree(backend, name), "the waiter left something behind");
    }

    @Test
    @DisplayName("ACQ-9 MUST bear the longest wait that can be said")
    void acq9_aWaitMayBeEndless() throws Exception {
        String name = stage().name();
        Lease holder =
                got(stage().fixed(stage().manager(), name, Stage.LONG_TTL).tryAcquire());
        DistributedLock wanted = stage().fixed(stage().manager(), name, Stage.LONG_TTL);

        Stage.Worker<Lease> waiter = stage().fork(() -> wanted.acquire(Duration.ofSeconds(Long.MAX_VALUE)));
        stage().elapse(Duration.ofMillis(100));
        assertFalse(waiter.result().isDone(), "the wait ended while the lock was held");
        holder.close();

        stage().join(waiter, Stage.SOON).close();
    }

    @Test
    @DisplayName("ACQ-10 MUST NOT bound a wait by the TTL that is asked for")
    void acq10_aWaitMayBeLongerThanTheTtl() throws Exception {
        String name = stage().name();
        Lease holder =
                got(stage().fixed(stage().manager(), name, Stage.LONG_TTL).tryAcquire());
        DistributedLock wanted = stage().fixed(stage().manager(), name, Duration.ofMillis(200));

        Stage.Worker<Lease> waiter = stage().fork(() -> wanted.acquire(Duration.ofSeconds(30)));
        stage().elapse(Duration.ofMillis(600));
        assertFalse(waiter.result().isDone(), "the wait ended with the TTL");
        holder.close();

        stage().join(waiter, Stage.SOON).release();
    }

    @Test
    @DisplayName("ACQ-11 MUST NOT ask more often than a poll with doubling pauses does while it waits")
    void acq11_waitingDoesNotHammerTheStore() throws Exception {
        String name = stage().name();
        taken(stage().backend(), name, Stage.LONG_TTL);
        Tampered backend = stage().tampered();
        DistributedLock wanted = stage().fixed(stage().manager(backend), name, Stage.LONG_TTL);

        Stage.Worker<Lease> waiter = stage().fork(() -> wanted.acquire(Duration.ofSeconds(2)));
        stage().failure(waiter, Stage.SOON);

        assertTrue(backend.acquires.get() <= 16, backend.acquires.get() + " requests in two seconds");
        assertThrows(LockTimeoutException.class, () -> wanted.acquire(Duration.ZERO));
    }
}
