// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.Lease;
import io.polylock.LockManager;
import io.polylock.LockTimeoutException;
import io.polylock.ManagerOptions;
import io.polylock.ReleaseOutcome;
import io.polylock.memory.MemoryLockBackend;
import io.polylock.memory.MemoryStore.Network;
import io.polylock.spi.Acquisition;
import io.polylock.spi.BackendFeature;
import io.polylock.spi.Handover;
import io.polylock.spi.ReleaseSignals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class HandOverTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @AutoClose
    private final Rig rig = new Rig();

    private CompletableFuture<Lease> waiter(Duration wait) {
        CompletableFuture<Lease> waiting = rig.clock.fork(() -> rig.lock.acquire(wait));
        rig.clock.advance(Duration.ZERO);
        return waiting;
    }

    private ReleaseOutcome release(Lease lease) throws Exception {
        return rig.run(lease::release);
    }

    @Test
    void isOneRequestAndAGrantLikeAnyOther() throws Exception {
        Lease first = rig.held();
        CompletableFuture<Lease> next = waiter(MINUTE);
        rig.clock.advance(Duration.ofSeconds(1));

        assertThat(release(first)).isEqualTo(ReleaseOutcome.RELEASED);

        Lease heir = rig.clock.join(next, Duration.ZERO);
        assertThat(rig.wire.handOvers).hasSize(1);
        assertThat(rig.wire.acquires).hasSize(1);
        assertThat(rig.wire.releases).isEmpty();
        assertThat(first.isHeld()).isFalse();
        assertThat(heir.remaining()).isEqualTo(Rig.VALIDITY);
        assertThat(heir.fencingToken().orElseThrow())
                .isGreaterThan(first.fencingToken().orElseThrow());
        rig.clock.advance(Rig.TTL.multipliedBy(3));
        assertThat(heir.isHeld()).isTrue();
        first.close();
        assertThat(release(heir)).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void theValidityOfTheHeirCountsFromBeforeTheRequest() throws Exception {
        Lease first = rig.held();
        rig.wire.onHandOver(step -> {
            rig.hang(Duration.ofSeconds(1));
            return step.get();
        });
        CompletableFuture<Lease> next = waiter(MINUTE);
        release(first);
        assertThat(rig.clock.join(next, Duration.ZERO).remaining()).isEqualTo(Rig.VALIDITY.minusSeconds(1));
    }

    @Test
    void itsTtlIsTheHeirsOwn() throws Exception {
        Lease first = rig.held();
        CompletableFuture<Lease> next =
                rig.clock.fork(() -> rig.lock.withTtl(Duration.ofSeconds(5)).acquire(MINUTE));
        rig.clock.advance(Duration.ZERO);
        release(first);
        assertThat(rig.clock.join(next, Duration.ZERO).remaining()).isEqualTo(Duration.ofMillis(4_948));
        assertThat(rig.holder().orElseThrow().remaining()).contains(Duration.ofSeconds(5));
    }

    @Test
    void anHeirThatGaveUpMeanwhileLeavesTheLockToTheNext() throws Exception {
        Lease first = rig.held();
        CompletableFuture<Lease> impatient = waiter(Duration.ofSeconds(1));
        CompletableFuture<Lease> next = waiter(MINUTE);
        rig.clock.advance(Duration.ofMillis(980));
        rig.wire.onHandOver(step -> {
            rig.hang(Duration.ofMillis(rig.wire.handOvers.size() == 1 ? 40 : 0));
            return step.get();
        });

        assertThat(release(first)).isEqualTo(ReleaseOutcome.RELEASED);

        assertThat(impatient)
                .failsWithin(Duration.ZERO)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(LockTimeoutException.class);
        assertThat(rig.clock.join(next, Duration.ZERO).isHeld()).isTrue();
        assertThat(rig.wire.handOvers).hasSize(2);
    }

    @Test
    void anHeirThatGaveUpAloneLeavesTheLockFree() throws Exception {
        Lease first = rig.held();
        AtomicReference<Thread> heir = new AtomicReference<>();
        CompletableFuture<Lease> waiting = rig.clock.fork(() -> {
            heir.set(Thread.currentThread());
            return rig.lock.acquire(MINUTE);
        });
        rig.clock.advance(Duration.ZERO);
        rig.wire.onHandOver(step -> {
            var answer = step.get();
            rig.clock.interrupt(Objects.requireNonNull(heir.get()));
            rig.hang(Duration.ofMillis(1));
            return answer;
        });
        release(first);
        rig.clock.advance(Duration.ofMillis(1));
        assertThat(waiting).isCompletedExceptionally();
        assertThat(rig.holder()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"LOSES_REQUESTS", "LOSES_REPLIES"})
    void anUnknownHandOverIsUndoneAndTheHeirTriesAgain(Network fault) throws Exception {
        Lease first = rig.held();
        CompletableFuture<Lease> next = waiter(MINUTE);
        rig.wire.onHandOver(step -> {
            rig.store.setNetwork(fault);
            try {
                return step.get();
            } finally {
                rig.store.setNetwork(Network.UP);
            }
        });

        assertThat(release(first)).isEqualTo(ReleaseOutcome.UNKNOWN);

        Lease heir = rig.clock.join(next, Duration.ofSeconds(1));
        assertThat(rig.wire.handOvers.get(0).request().owner())
                .isNotEqualTo(rig.wire
                        .acquires
                        .get(rig.wire.acquires.size() - 1)
                        .request()
                        .owner());
        rig.clock.advance(MINUTE);
        assertThat(heir.isHeld()).isTrue();
        assertThat(release(heir)).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void theHeirIsUndoneOnlyAfterTheGiverWasAnswered() throws Exception {
        Lease first = rig.held();
        CompletableFuture<Lease> next = waiter(MINUTE);
        rig.wire.onHandOver(step -> {
            throw Wire.noAnswer();
        });
        AtomicBoolean silent = new AtomicBoolean(true);
        rig.wire.onRelease(step -> {
            if (silent.get()) {
                throw Wire.noAnswer();
            }
            return step.get();
        });
        var giver = rig.wire.acquires.get(0).request().owner();
        release(first);
        rig.clock.advance(Duration.ofSeconds(10));
        assertThat(rig.wire.releases)
                .isNotEmpty()
                .allMatch(call -> call.request().owner().equals(giver));
        silent.set(false);
        rig.clock.advance(Duration.ofSeconds(10));
        assertThat(next).isCompleted();
        var heir = rig.wire.handOvers.get(0).request().owner();
        assertThat(rig.wire.releases)
                .filteredOn(call -> call.request().owner().equals(heir))
                .hasSize(2);
    }

    @Test
    void theHeirIsUndoneAlsoIfTheGiversRecordHasEndedUnanswered() throws Exception {
        Lease first = rig.held(rig.lock.withoutRenewal().withTtl(Duration.ofSeconds(1)));
        CompletableFuture<Lease> heir =
                rig.clock.fork(() -> rig.lock.withTtl(Duration.ofHours(1)).acquire(Duration.ofSeconds(2)));
        rig.clock.advance(Duration.ZERO);
        rig.wire.onHandOver(step -> {
            assertThat(step.get()).isInstanceOf(Acquisition.Granted.class);
            throw Wire.noAnswer();
        });
        AtomicBoolean silent = new AtomicBoolean(true);
        rig.wire.onRelease(step -> {
            if (silent.get()) {
                throw Wire.noAnswer();
            }
            return step.get();
        });
        release(first);
        rig.clock.advance(Duration.ofSeconds(20));
        silent.set(false);
        rig.clock.advance(Duration.ofSeconds(10));
        assertThat(heir).isCompletedExceptionally();
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void aReleaseThatIsRepeatedHandsNothingOver() throws Exception {
        Lease first = rig.held();
        CompletableFuture<Lease> next = waiter(MINUTE);
        rig.wire.onHandOver(step -> {
            if (rig.wire.handOvers.size() > 1) {
                assertThat(step.get()).isNotNull();
            }
            throw Wire.noAnswer();
        });
        AtomicBoolean silent = new AtomicBoolean(true);
        rig.wire.onRelease(step -> {
            if (silent.get()) {
                throw Wire.noAnswer();
            }
            return step.get();
        });
        assertThat(release(first)).isEqualTo(ReleaseOutcome.UNKNOWN);
        assertThat(release(first)).isEqualTo(ReleaseOutcome.UNKNOWN);
        silent.set(false);
        assertThat(rig.clock.join(next, Duration.ofSeconds(10)).isHeld()).isTrue();
        assertThat(rig.wire.handOvers).hasSize(1);
    }

    @Test
    void anHeirThatWasRefusedIsWokenToAsk() {
        Parts parts = Rig.parts(rig.wire, rig.clock);
        ActiveLease giver = new ActiveLease(
                parts,
                Rig.foreign(Rig.TTL),
                OptionalLong.empty(),
                Validity.startingNow(rig.clock, Rig.TTL, Numbers.DEFAULTS),
                Optional.empty(),
                Run.NONE,
                Rig.succession(parts));
        Lines lines = new Lines(rig.clock, Numbers.DEFAULTS, false);
        AtomicBoolean woken = new AtomicBoolean();
        Waiter heir = new Waiter(giver.request().name(), LockOptions.DEFAULTS, 0, MINUTE, () -> woken.set(true));
        lines.join(heir);
        assertThat(lines.offer(giver)).contains(heir);
        assertThat(lines.next(heir)).isEqualTo(new Line.Step.Rest(MINUTE.toNanos()));
        lines.declined(heir);
        assertThat(woken).isTrue();
        assertThat(lines.next(heir)).isInstanceOf(Line.Step.Ask.class);
    }

    @Test
    void whatIsNotTheGiversIsNotHandedOver() throws Exception {
        Lease first = rig.held();
        CompletableFuture<Lease> next = waiter(MINUTE);
        rig.store.evict(Rig.NAME);
        assertThat(release(first)).isEqualTo(ReleaseOutcome.NOT_HELD);
        assertThat(rig.clock.join(next, Duration.ZERO).isHeld()).isTrue();
    }

    @Test
    void aGrantThatComesTooLateForTheHeirIsGivenBack() throws Exception {
        Lease first = rig.held();
        CompletableFuture<Lease> next = rig.clock.fork(() -> rig.lock
                .withTtl(Duration.ofSeconds(10))
                .withMinValidity(Duration.ofSeconds(9))
                .acquire(MINUTE));
        rig.clock.advance(Duration.ZERO);
        rig.wire.onHandOver(step -> {
            var answer = step.get();
            rig.hang(Duration.ofMillis(1_500));
            return answer;
        });
        assertThat(release(first)).isEqualTo(ReleaseOutcome.RELEASED);
        Lease heir = rig.clock.join(next, Duration.ZERO);
        assertThat(heir.remaining()).isGreaterThan(Duration.ofSeconds(9));
        assertThat(rig.wire.acquires).hasSize(2);
    }

    @Test
    void aClosingManagerHandsNothingOver() throws Exception {
        Lease first = rig.held();
        CompletableFuture<Lease> next = waiter(MINUTE);
        CompletableFuture<Void> closing = rig.clock.fork(() -> {
            rig.manager.close();
            return null;
        });
        rig.clock.advance(Duration.ZERO);
        assertThat(next).isCompletedExceptionally();
        assertThat(release(first)).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(rig.wire.handOvers).isEmpty();
        rig.clock.join(closing, Rig.GRACE);
        assertThat(rig.holder()).isEmpty();
    }

    private List<CompletableFuture<Void>> crowd(
            Rig who, int size, Duration hold, List<Long> grants, AtomicBoolean over) {
        List<CompletableFuture<Void>> crowd = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            crowd.add(who.clock.fork(() -> {
                while (!over.get()) {
                    who.lock.run(MINUTE, lease -> {
                        grants.add(who.clock.nanoTime());
                        who.clock.pass(hold);
                    });
                }
                return null;
            }));
        }
        who.clock.advance(Duration.ZERO);
        return crowd;
    }

    private static void end(Rig who, List<CompletableFuture<Void>> crowd, AtomicBoolean over) throws Exception {
        over.set(true);
        for (CompletableFuture<Void> each : crowd) {
            who.clock.join(each, MINUTE);
        }
    }

    /** A crowd that never lets go, and a waiter of another manager. */
    private static Stream<Arguments> crowds() {
        return Stream.of(
                Arguments.of(1, 17, Set.of()),
                Arguments.of(20, 4, Set.of()),
                Arguments.of(1, 17, Set.of(Handover.class)),
                Arguments.of(20, 4, Set.of(Handover.class)),
                Arguments.of(200, 2, Set.of(Handover.class)));
    }

    @ParameterizedTest
    @MethodSource("crowds")
    void aRunIsBounded(int holdMillis, int longestRun, Set<Class<? extends BackendFeature>> missing) throws Exception {
        try (Rig crowded = new Rig(missing);
                LockManager other = LockManager.of(
                        MemoryLockBackend.of(crowded.store), ManagerOptions.DEFAULTS.withClock(crowded.clock))) {
            AtomicBoolean over = new AtomicBoolean();
            List<Long> grants = new CopyOnWriteArrayList<>();
            List<CompletableFuture<Void>> crowd = crowd(crowded, 8, Duration.ofMillis(holdMillis), grants, over);
            crowded.clock.advance(Duration.ofMillis(1_500));
            int before = grants.size();
            CompletableFuture<Integer> rival =
                    crowded.clock.fork(() -> other.lock(Rig.NAME).call(MINUTE, lease -> grants.size()));
            assertThat(crowded.clock.join(rival, MINUTE) - before).isLessThanOrEqualTo(longestRun);
            end(crowded, crowd, over);
        }
    }

    @Test
    void aManagerWithoutSignalsLeavesAGapAfterEachRun() throws Exception {
        try (Rig deaf = Rig.without(ReleaseSignals.class)) {
            AtomicBoolean over = new AtomicBoolean();
            List<Long> grants = new CopyOnWriteArrayList<>();
            List<CompletableFuture<Void>> crowd = crowd(deaf, 4, Duration.ofMillis(1), grants, over);
            deaf.clock.advance(Duration.ofSeconds(1));
            end(deaf, crowd, over);
            long gap = Numbers.DEFAULTS.sitOut().toNanos();
            long gaps = IntStream.range(1, grants.size())
                    .filter(i -> grants.get(i) - grants.get(i - 1) >= gap)
                    .count();
            assertThat(gaps).isBetween(grants.size() / 17 - 1L, grants.size() / 17 + 1L);
        }
    }

    @Test
    void aManagerThatIsAloneDoesNotSitOut() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        List<Long> grants = new CopyOnWriteArrayList<>();
        List<CompletableFuture<Void>> crowd = crowd(rig, 4, Duration.ofMillis(1), grants, over);
        rig.clock.advance(Duration.ofSeconds(1));
        end(rig, crowd, over);
        assertThat(grants).hasSizeGreaterThan(990); // it sits out once, then it is told that nobody else waits
    }
}
