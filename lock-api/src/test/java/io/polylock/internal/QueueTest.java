// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.Lease;
import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.LockManager;
import io.polylock.LockTimeoutException;
import io.polylock.ManagerOptions;
import io.polylock.ReleaseOutcome;
import io.polylock.memory.MemoryLockBackend;
import io.polylock.spi.LockName;
import io.polylock.spi.Ownership;
import io.polylock.spi.ReleaseSignals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class QueueTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);

    @AutoClose
    private final Rig rig = new Rig();

    private CompletableFuture<Lease> waiter(Duration wait) {
        CompletableFuture<Lease> waiting = rig.clock.fork(() -> rig.lock.acquire(wait));
        rig.clock.advance(Duration.ZERO); // it is in line before the next one comes
        return waiting;
    }

    private List<CompletableFuture<Lease>> waiters(int howMany, Duration wait) {
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < howMany; i++) {
            waiting.add(waiter(wait));
        }
        return waiting;
    }

    @Test
    void servesInTheOrderOfArrival() throws Exception {
        Lease first = rig.held();
        List<Integer> served = new CopyOnWriteArrayList<>();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            int number = i;
            all.add(rig.clock.fork(() -> {
                rig.lock.run(MINUTE, lease -> {
                    served.add(number);
                    rig.clock.pass(Duration.ofMillis(1));
                });
                return null;
            }));
            rig.clock.advance(Duration.ZERO);
        }
        first.close();
        for (CompletableFuture<Void> each : all) {
            rig.clock.join(each, MINUTE);
        }
        assertThat(served).isSorted().hasSize(40);
    }

    @Test
    void oneAsksForAll() {
        rig.takenByAnother(HOUR);
        List<CompletableFuture<Lease>> all = waiters(100, Duration.ofSeconds(30));
        rig.clock.advance(Duration.ofSeconds(31));
        assertThat(all).allSatisfy(each -> assertThat(each).isCompletedExceptionally());
        // try, try again, a poll every 4 s at the earliest
        assertThat(rig.wire.acquires.size()).isBetween(2 + 4, 2 + 8);
    }

    @Test
    void nobodyAsksWhileALeaseOfOursHolds() {
        Lease held = rig.held();
        waiters(10, HOUR);
        rig.clock.advance(Duration.ofSeconds(3));
        assertThat(rig.wire.acquires).hasSize(1);
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void aQueuedTimeoutNamesTheLeaseOfOursThatHolds() throws Exception {
        Lease held = rig.held();
        assertThat(rig.failureOf(() -> rig.lock.acquire(Duration.ofSeconds(1))))
                .isInstanceOfSatisfying(LockTimeoutException.class, e -> {
                    assertThat(e.holderLabel()).contains("me");
                    assertThat(e.freeIn()).contains(held.remaining());
                });
        assertThat(rig.wire.acquires).hasSize(1);
    }

    @Test
    void aSignalWakesAtOnce() throws Exception {
        var holder = rig.takenByAnother(HOUR);
        CompletableFuture<Lease> waiting = waiter(HOUR);
        rig.clock.advance(Duration.ofMillis(1_234));
        assertThat(rig.other.release(holder)).isEqualTo(Ownership.HELD);
        assertThat(rig.clock.join(waiting, Duration.ZERO).isHeld()).isTrue();
    }

    @Test
    void aReleaseWhileTheRefusalIsOnItsWayIsNotMissed() throws Exception {
        var holder = rig.takenByAnother(HOUR);
        rig.wire.onAcquire(step -> {
            var answer = step.get();
            if (rig.wire.acquires.size() == 2) { // the one after the subscription
                assertThat(rig.other.release(holder)).isEqualTo(Ownership.HELD);
            }
            return answer;
        });
        rig.clock.join(waiter(HOUR), Duration.ZERO);
        assertThat(rig.wire.acquires).hasSize(3);
    }

    @Test
    void aReleaseBeforeTheSubscriptionIsNotMissed() throws Exception {
        var holder = rig.takenByAnother(HOUR);
        rig.wire.onAcquire(step -> {
            var answer = step.get();
            if (rig.wire.acquires.size() == 1) {
                assertThat(rig.other.release(holder)).isEqualTo(Ownership.HELD);
            }
            return answer;
        });
        rig.clock.join(waiter(HOUR), Duration.ZERO);
    }

    @Test
    void withoutSignalsItPolls() throws Exception {
        try (Rig silent = Rig.without(ReleaseSignals.class)) {
            var holder = silent.takenByAnother(HOUR);
            CompletableFuture<Lease> waiting = silent.clock.fork(() -> silent.lock.acquire(HOUR));
            silent.clock.advance(MINUTE);
            assertThat(silent.wire.acquires.size()).isBetween(50, 90);
            assertThat(silent.other.release(holder)).isEqualTo(Ownership.HELD);
            assertThat(silent.clock.join(waiting, Duration.ofMillis(1_201)).isHeld())
                    .isTrue();
        }
    }

    @Test
    void wakesWhenTheHoldersTtlEnds() throws Exception {
        rig.takenByAnother(Duration.ofMillis(2_500));
        assertThat(rig.clock.join(waiter(HOUR), Duration.ofMillis(2_502)).isHeld())
                .isTrue();
    }

    @Test
    void theDeadlineOfOneInLineDoesNotDependOnTheHeadsRequest() throws Exception {
        rig.wire.onAcquire(step -> {
            rig.hang(Rig.TIMEOUT);
            throw Wire.noAnswer();
        });
        CompletableFuture<Lease> first = waiter(HOUR);
        CompletableFuture<Lease> second = waiter(Duration.ofMillis(100));
        assertThat(rig.clock.advanceUntil(second, Duration.ofMillis(100))).isTrue();
        assertThat(second)
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableOfType(ExecutionException.class)
                .havingCause()
                .isInstanceOf(LockBackendException.class)
                .withMessageContaining("the store had not answered those in front");
        assertThat(first).isNotDone();
    }

    @Test
    void theNextInLineTakesOverFromAHeadThatIsInterrupted() throws Exception {
        var holder = rig.takenByAnother(HOUR);
        AtomicReference<Thread> head = new AtomicReference<>();
        CompletableFuture<Lease> first = rig.clock.fork(() -> {
            head.set(Thread.currentThread());
            return rig.lock.acquire(HOUR);
        });
        rig.clock.advance(Duration.ofSeconds(1));
        CompletableFuture<Lease> second = waiter(HOUR);
        rig.clock.interrupt(Objects.requireNonNull(head.get()));
        rig.clock.advance(Duration.ofMillis(1));
        assertThat(first).isCompletedExceptionally();
        int asked = rig.wire.acquires.size();
        assertThat(rig.other.release(holder)).isEqualTo(Ownership.HELD);
        assertThat(rig.clock.join(second, Duration.ZERO).isHeld()).isTrue();
        assertThat(rig.wire.acquires).hasSize(asked + 1);
    }

    @Test
    void aRefusalOfTheStoreEndsTheHeadsWaitAndTheNextAsks() throws Exception {
        rig.wire.onAcquire(step -> {
            if (rig.wire.acquires.size() == 1) {
                rig.hang(Duration.ofMillis(10));
                throw new LockBackendException(Outcome.REFUSED, "no right");
            }
            return step.get();
        });
        CompletableFuture<Lease> first = waiter(HOUR);
        CompletableFuture<Lease> second = waiter(HOUR);
        rig.clock.advance(Duration.ofMillis(10));
        assertThat(first).isCompletedExceptionally();
        assertThat(rig.clock.join(second, Duration.ofMillis(12)).isHeld()).isTrue();
    }

    @Test
    void oneWhoseTimeIsUpBetweenTwoLeasesOfOursIsToldOfNoFailure() throws Exception {
        Lease held = rig.held();
        CompletableFuture<Lease> head = waiter(HOUR);
        CompletableFuture<Lease> second = waiter(Duration.ofMillis(100));
        rig.clock.advance(Duration.ofMillis(95));
        rig.store.evict(Rig.NAME); // nothing to hand over: the head asks
        rig.wire.onAcquire(step -> {
            rig.hang(Duration.ofMillis(50));
            return step.get();
        });
        rig.run(held::release);
        rig.clock.advance(Duration.ofMillis(5));
        assertThat(second)
                .failsWithin(Duration.ZERO)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(LockTimeoutException.class);
        assertThat(rig.clock.join(head, Duration.ofMillis(50)).isHeld()).isTrue();
    }

    @Test
    void losingARaceIsNotTheEndOfTheWait() throws Exception {
        var holder = rig.takenByAnother(HOUR);
        CompletableFuture<Lease> waiting = waiter(Duration.ofSeconds(20));
        rig.wire.onAcquire(step -> {
            rig.wire.onAcquire(step2 -> step2.get());
            rig.takenByAnother(Duration.ofSeconds(10)); // overtakes
            return step.get();
        });
        assertThat(rig.other.release(holder)).isEqualTo(Ownership.HELD);
        rig.clock.advance(Duration.ofSeconds(1));
        assertThat(waiting).isNotDone();
        assertThat(rig.clock.join(waiting, Duration.ofSeconds(10)).isHeld()).isTrue();
    }

    @Test
    void zeroAndTryAcquireDoNotStandInLine() throws Exception {
        rig.takenByAnother(HOUR);
        waiters(3, HOUR);
        int asked = rig.wire.acquires.size();
        assertThat(rig.failureOf(() -> rig.lock.acquire(Duration.ZERO))).isInstanceOf(LockTimeoutException.class);
        assertThat(rig.run(rig.lock::tryAcquire)).isEmpty();
        assertThat(rig.wire.acquires).hasSize(asked + 2);
    }

    @Test
    void aLeaseThatIsLostMakesTheNextOneAsk() throws Exception {
        Lease held = rig.held(rig.lock.withoutRenewal().withTtl(Duration.ofSeconds(2)));
        CompletableFuture<Lease> next = waiter(HOUR);
        assertThat(rig.clock.join(next, Duration.ofMillis(2_002)).isHeld()).isTrue();
        assertThat(held.isHeld()).isFalse();
    }

    @Test
    void theNextOneDoesNotWaitForTheEndOfALeaseThatIsOverAlready() {
        Lines lines = new Lines(rig.clock, Numbers.DEFAULTS, false);
        Waiter first = new Waiter(new LockName(Rig.NAME), LockOptions.DEFAULTS, 0, MINUTE, () -> {});
        Waiter second = new Waiter(new LockName(Rig.NAME), LockOptions.DEFAULTS, 0, MINUTE, () -> {});
        lines.join(first);
        lines.join(second);
        assertThat(lines.next(first)).isInstanceOf(Line.Step.Ask.class);
        lines.answered(first, new Attempt.Answer.Got(rig.held()), false); // lost before its thread came this far
        assertThat(lines.next(second)).isInstanceOf(Line.Step.Ask.class);
    }

    @Test
    void aSubscriptionThatDoesNotEndInPeaceCostsNoLease() throws Exception {
        MemoryLockBackend store = MemoryLockBackend.of(rig.store);
        ReleaseSignals real = store.feature(ReleaseSignals.class).orElseThrow();
        ReleaseSignals quarrelsome = (name, listener, answerWithin) -> {
            ReleaseSignals.Subscription subscription = real.watch(name, listener, answerWithin);
            return () -> {
                subscription.close();
                throw new IllegalStateException("as intended");
            };
        };
        try (LockManager manager =
                LockManager.of(new WithSignals(store, quarrelsome), ManagerOptions.DEFAULTS.withClock(rig.clock))) {
            var holder = rig.takenByAnother(HOUR);
            CompletableFuture<Lease> waiting =
                    rig.clock.fork(() -> manager.lock(Rig.NAME).acquire(HOUR));
            rig.clock.advance(Duration.ofSeconds(1));
            assertThat(rig.other.release(holder)).isEqualTo(Ownership.HELD);
            Lease lease = rig.clock.join(waiting, Duration.ZERO);
            assertThat(rig.run(lease::release)).isEqualTo(ReleaseOutcome.RELEASED);
        }
    }

    @Test
    void nothingIsKeptOfALockThatNobodyWaitsFor() throws Exception {
        Lines lines = new Lines(rig.clock, Numbers.DEFAULTS, true);
        List<Waiter> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            all.add(new Waiter(new LockName(Rig.NAME), LockOptions.DEFAULTS, 0, MINUTE, () -> {}));
            lines.join(all.get(i));
        }
        assertThat(lines.size()).isEqualTo(1);
        all.forEach(waiter -> assertThat(lines.leave(waiter)).isEmpty());
        assertThat(lines.size()).isZero();
        lines.join(all.get(0)); // too late
        assertThat(lines.size()).isZero();
    }

    @Test
    void aSubscriptionThatFailsIsTriedAgainWhilePolling() throws Exception {
        AtomicReference<LockBackendException> failure =
                new AtomicReference<>(new LockBackendException(Outcome.NOT_APPLIED, "no connection"));
        List<Long> watches = new CopyOnWriteArrayList<>();
        MemoryLockBackend store = MemoryLockBackend.of(rig.store);
        ReleaseSignals real = store.feature(ReleaseSignals.class).orElseThrow();
        ReleaseSignals failing = (name, listener, answerWithin) -> {
            watches.add(rig.clock.nanoTime());
            LockBackendException now = failure.get();
            if (now != null) {
                throw now;
            }
            return real.watch(name, listener, answerWithin);
        };
        try (LockManager manager =
                LockManager.of(new WithSignals(store, failing), ManagerOptions.DEFAULTS.withClock(rig.clock))) {
            var holder = rig.takenByAnother(HOUR);
            CompletableFuture<Lease> waiting =
                    rig.clock.fork(() -> manager.lock(Rig.NAME).acquire(HOUR));
            rig.clock.advance(MINUTE);
            assertThat(watches.size()).isBetween(50, 90);
            failure.set(null);
            rig.clock.advance(Duration.ofSeconds(2));
            int confirmed = watches.size();
            rig.clock.advance(MINUTE);
            assertThat(watches).hasSize(confirmed);
            assertThat(rig.other.release(holder)).isEqualTo(Ownership.HELD);
            Lease lease = rig.clock.join(waiting, Duration.ZERO);
            assertThat(lease.release()).isNotNull();
        }
    }
}
