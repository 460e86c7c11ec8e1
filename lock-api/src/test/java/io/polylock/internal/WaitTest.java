// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polylock.Lease;
import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.LockTimeoutException;
import io.polylock.memory.MemoryStore.Network;
import io.polylock.memory.VirtualClock;
import io.polylock.spi.Acquisition;
import io.polylock.spi.LockClock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WaitTest {

    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final Duration ODD = Duration.ofNanos(1_234_567_891);

    @AutoClose
    private final Rig rig = new Rig();

    /** How long a wait took that ended by the given exception. */
    private <E extends Throwable> Duration timeUntil(Class<E> expected, Duration wait) throws Exception {
        long start = rig.clock.nanoTime();
        assertThat(rig.failureOf(() -> rig.lock.acquire(wait))).isInstanceOf(expected);
        return Duration.ofNanos(rig.clock.nanoTime() - start);
    }

    @Test
    void acquiresAFreeLockAtOnce() throws Exception {
        assertThat(rig.run(() -> rig.lock.acquire(Duration.ZERO)).isHeld()).isTrue();
        assertThat(rig.clock.nanoTime()).isZero();
    }

    @Test
    void refusesANegativeWaitBeforeItAsks() {
        assertThatThrownBy(() -> rig.lock.acquire(Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a wait must not be negative but was PT-0.000000001S");
        assertThat(rig.wire.acquires).isEmpty();
    }

    @Test
    void zeroIsOneRequest() throws Exception {
        rig.takenByAnother(Rig.TTL);
        assertThat(timeUntil(LockTimeoutException.class, Duration.ZERO)).isZero();
        assertThat(rig.wire.acquires).hasSize(1);
        assertThat(rig.wire.looks).hasValue(0);
    }

    @Test
    void zeroTellsWhenTheLockWillBeFree() throws Exception {
        rig.takenByAnother(Rig.TTL);
        assertThat(rig.failureOf(() -> rig.lock.acquire(Duration.ZERO)))
                .isInstanceOfSatisfying(
                        LockTimeoutException.class, e -> assertThat(e.freeIn()).contains(Rig.TTL));
    }

    @Test
    void endsAtItsDeadlineToTheNanosecond() throws Exception {
        rig.takenByAnother(Rig.TTL);
        assertThat(timeUntil(LockTimeoutException.class, ODD)).isEqualTo(ODD);
    }

    @Test
    void aWaitOfANanosecondEndsInTime() throws Exception {
        rig.takenByAnother(Rig.TTL);
        Duration shortest = Duration.ofNanos(1);
        assertThat(timeUntil(LockTimeoutException.class, shortest)).isEqualTo(shortest);
    }

    @Test
    void aTimeoutTellsTheHolderAndWhenItsTtlEnds() throws Exception {
        rig.takenByAnother(Rig.TTL);
        assertThat(rig.failureOf(() -> rig.lock.acquire(Duration.ofSeconds(10))))
                .isInstanceOfSatisfying(LockTimeoutException.class, e -> {
                    assertThat(e.lockName()).isEqualTo(Rig.NAME);
                    assertThat(e.waited()).isEqualTo(Duration.ofSeconds(10));
                    assertThat(e.holderLabel()).contains("somebody else");
                    assertThat(e.freeIn().orElseThrow()).isBetween(Duration.ofSeconds(20), Duration.ofMillis(20_050));
                });
    }

    @Test
    void aLookAtTheHolderThatFailsChangesNothing() throws Exception {
        rig.takenByAnother(Rig.TTL);
        rig.wire.onInspect(() -> {
            throw new IllegalStateException("cannot look");
        });
        assertThat(timeUntil(LockTimeoutException.class, ODD)).isEqualTo(ODD);
    }

    @Test
    void acquiresWithinASafetyPollOfARelease() throws Exception {
        var holder = rig.takenByAnother(Duration.ofHours(1));
        CompletableFuture<Lease> waiter = rig.clock.fork(() -> rig.lock.acquire(Duration.ofHours(1)));
        rig.clock.advance(Duration.ofMinutes(5));
        assertThat(waiter).isNotDone();
        assertThat(rig.other.release(holder)).isNotNull();
        rig.clock.advance(Duration.ofMillis(1_200));
        assertThat(waiter).isCompleted();
    }

    @Test
    void pollsNotMoreThanOnceASecondOrSo() throws Exception {
        rig.takenByAnother(Duration.ofHours(1));
        assertThat(timeUntil(LockTimeoutException.class, Duration.ofMinutes(10)))
                .isEqualTo(Duration.ofMinutes(10));
        assertThat(rig.wire.acquires).hasSizeLessThan(600 * 10 / 8 + 10);
    }

    @Test
    void acquiresAtTheEndOfTheHoldersTtl() throws Exception {
        rig.takenByAnother(Duration.ofMillis(700));
        Lease lease = rig.run(() -> rig.lock.acquire(Duration.ofHours(1)));
        assertThat(lease.isHeld()).isTrue();
        assertThat(Duration.ofNanos(rig.clock.nanoTime())).isBetween(Duration.ofMillis(700), Duration.ofMillis(702));
    }

    @Test
    void looksOnceMoreShortlyBeforeTheEnd() throws Exception {
        var holder = rig.takenByAnother(Duration.ofHours(1));
        CompletableFuture<Lease> waiter = rig.clock.fork(() -> rig.lock.acquire(Duration.ofSeconds(10)));
        rig.clock.advance(Duration.ofMillis(9_949));
        assertThat(rig.other.release(holder)).isNotNull();
        // jitter may have put the poll before it so late that half of what is left comes after 9.95 s
        assertThat(rig.clock.join(waiter, Duration.ofMillis(50)).isHeld()).isTrue();
    }

    @Test
    void theLongestWaitDoesNotOverflow() throws Exception {
        rig.takenByAnother(Duration.ofMinutes(5));
        assertThat(rig.run(() -> rig.lock.acquire(FOR_EVER)).isHeld()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE - 3_000_000_000L, Long.MIN_VALUE, -3_000_000_000L})
    void aNanoTimeThatOverflowsOrIsNegativeDoesNoHarm(long offset) throws Exception {
        try (Rig shifted = new Rig(clock -> new Shifted(clock, offset))) {
            shifted.takenByAnother(Duration.ofSeconds(10));
            Lease lease = shifted.run(() -> shifted.lock.acquire(FOR_EVER));
            assertThat(Duration.ofNanos(shifted.clock.nanoTime()))
                    .isBetween(Duration.ofSeconds(10), Duration.ofMillis(10_002));
            shifted.clock.advance(Rig.TTL.multipliedBy(3));
            assertThat(lease.isHeld()).isTrue();
            assertThat(shifted.failureOf(() -> shifted.lock.acquire(ODD))).isInstanceOf(LockTimeoutException.class);
        }
    }

    @Test
    void aRefusalIsThrownAtOnce() throws Exception {
        failsWith(Outcome.REFUSED);
        assertThat(timeUntil(LockBackendException.class, FOR_EVER)).isZero();
        assertThat(rig.wire.acquires).hasSize(1);
    }

    @Test
    void whatWasNotAppliedIsTriedAgainUntilTheDeadline() throws Exception {
        failsWith(Outcome.NOT_APPLIED);
        assertThat(timeUntil(LockBackendException.class, ODD)).isEqualTo(ODD);
        assertThat(rig.wire.acquires).hasSizeGreaterThan(3);
    }

    @Test
    void unknownIsTriedAgainUntilTheDeadline() throws Exception {
        failsWith(Outcome.UNKNOWN);
        assertThat(timeUntil(LockBackendException.class, ODD)).isEqualTo(ODD);
        assertThat(rig.wire.acquires).hasSizeGreaterThan(3);
    }

    @Test
    void acquiresAfterAnOutage() {
        rig.store.setNetwork(Network.LOSES_REPLIES);
        CompletableFuture<Lease> waiter = rig.clock.fork(() -> rig.lock.acquire(FOR_EVER));
        rig.clock.advance(Duration.ofMinutes(1));
        rig.store.setNetwork(Network.UP);
        rig.clock.advance(Duration.ofSeconds(10));
        assertThat(waiter.join().isHeld()).isTrue();
    }

    @Test
    void aLateGrantIsTriedAgain() throws Exception {
        rig.wire.onAcquire(step -> {
            var granted = step.get();
            if (rig.wire.acquires.size() == 1) {
                rig.hang(Rig.TTL);
            }
            return granted;
        });
        assertThat(rig.run(() -> rig.lock.acquire(FOR_EVER)).isHeld()).isTrue();
        assertThat(rig.wire.acquires).hasSize(2);
    }

    @Test
    void noRequestMayOutliveTheWait() throws Exception {
        rig.wire.onAcquire(step -> {
            rig.hang(rig.wire
                    .acquires
                    .get(rig.wire.acquires.size() - 1)
                    .request()
                    .answerWithin());
            throw Wire.noAnswer();
        });
        Duration wait = Duration.ofSeconds(5);
        assertThat(timeUntil(LockBackendException.class, wait)).isEqualTo(wait);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void aLockThatIsSaidToBeFreeAlreadyIsNotAskedForInAHotLoop(long freeInSeconds) throws Exception {
        rig.wire.onAcquire(step -> {
            if (rig.wire.acquires.size() > 100) {
                throw new LockBackendException(Outcome.REFUSED, "hot loop");
            }
            return new Acquisition.Contended(Optional.of(Duration.ofSeconds(freeInSeconds)));
        });
        assertThat(timeUntil(LockTimeoutException.class, Duration.ofSeconds(10)))
                .isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void aRecordThatNearlyNeverEndsDoesNotOverflow() throws Exception {
        rig.wire.onAcquire(
                step -> new Acquisition.Contended(Optional.of(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999))));
        assertThat(timeUntil(LockTimeoutException.class, ODD)).isEqualTo(ODD);
    }

    @Test
    void aRecordWithoutEndIsPolled() throws Exception {
        rig.wire.onAcquire(step -> new Acquisition.Contended(Optional.empty()));
        assertThat(timeUntil(LockTimeoutException.class, Duration.ofMinutes(1))).isEqualTo(Duration.ofMinutes(1));
        assertThat(rig.wire.acquires).hasSizeBetween(11, 17);
    }

    private void failsWith(Outcome outcome) {
        rig.wire.onAcquire(step -> {
            throw new LockBackendException(outcome, "scripted");
        });
    }

    /** A clock whose nanoseconds start elsewhere. */
    private record Shifted(VirtualClock clock, long offset) implements LockClock {

        @Override
        public long nanoTime() {
            return clock.nanoTime() + offset;
        }

        @Override
        public long epochMicros() {
            return clock.epochMicros();
        }

        @Override
        public Pause newPause() {
            return clock.newPause();
        }

        @Override
        public Workers newWorkers(String name) {
            return clock.newWorkers(name);
        }
    }

    @Test
    void aLastLookThatHadNoTimeForAnAnswerIsATimeoutNotAFailure() throws Exception {
        rig.takenByAnother(Duration.ofHours(1));
        AtomicInteger asked = new AtomicInteger();
        rig.wire.onAcquire(step -> {
            if (asked.getAndIncrement() > 0) {
                throw Wire.noAnswer();
            }
            return step.get();
        });

        Throwable failure = rig.failureOf(() -> rig.lock.acquire(Duration.ofMillis(300)));

        assertThat(failure).isInstanceOf(LockTimeoutException.class);
        assertThat(failure.getSuppressed()).hasSize(1);
        assertThat(rig.clock.nanoTime()).isEqualTo(Duration.ofMillis(300).toNanos());
    }
}
