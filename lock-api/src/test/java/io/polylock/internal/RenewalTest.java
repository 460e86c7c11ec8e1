// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.Lease;
import io.polylock.LossCause;
import io.polylock.memory.MemoryStore.Network;
import io.polylock.memory.VirtualClock;
import io.polylock.spi.LockClock;
import io.polylock.spi.Ownership;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class RenewalTest {

    private static final Duration THIRD = Duration.ofSeconds(10);
    private static final Duration HUNDRED_TTLS = Rig.TTL.multipliedBy(100);

    private final Set<Runnable> timers = ConcurrentHashMap.newKeySet();

    @AutoClose
    private final Rig rig = new Rig(clock -> new TallyClock(clock, timers));

    @Test
    void keepsALeaseForAHundredTtls() {
        Lease lease = rig.held();
        rig.clock.advance(HUNDRED_TTLS);
        assertThat(lease.isHeld()).isTrue();
        assertThat(rig.holder()).isPresent();
    }

    @Test
    void renewsEveryThirdOfTheTtlOrAtMostATenthOfThatEarlier() {
        rig.held();
        rig.clock.advance(HUNDRED_TTLS);
        long last = 0;
        for (Wire.Call renewal : rig.wire.renewals) {
            assertThat(Duration.ofNanos(renewal.atNanos() - last)).isBetween(Duration.ofSeconds(9), THIRD);
            last = renewal.atNanos();
        }
        assertThat(rig.wire.renewals).hasSizeBetween(300, 334);
    }

    @Test
    void keepsOneTimerForAllLeasesHoweverLongTheyLive() {
        rig.held();
        rig.held(rig.manager.lock("another").withTtl(Duration.ofSeconds(1)));
        rig.clock.advance(HUNDRED_TTLS);
        assertThat(timers).hasSize(1);
    }

    @Test
    void leavesNoTimerBehindAReleasedLease() {
        Lease lease = rig.held();
        rig.clock.advance(THIRD.multipliedBy(7));
        lease.release();
        rig.clock.advance(THIRD);
        assertThat(timers).isEmpty();
    }

    @Test
    void leavesNoTimerBehindALostLease() {
        rig.held();
        rig.clock.advance(THIRD.multipliedBy(7));
        rig.store.evict(Rig.NAME);
        rig.clock.advance(Rig.TTL);
        assertThat(timers).isEmpty();
    }

    @Test
    void doesNotRenewWithoutRenewal() {
        rig.held(rig.lock.withoutRenewal());
        rig.clock.advance(Rig.TTL);
        assertThat(rig.wire.renewals).isEmpty();
    }

    @Test
    void doesNotRenewAfterARelease() {
        rig.held().release();
        rig.clock.advance(Rig.TTL);
        assertThat(rig.wire.renewals).isEmpty();
    }

    @Test
    void asksForTheSameTtlAndOwner() {
        rig.held();
        rig.clock.advance(THIRD);
        assertThat(rig.wire.renewals.get(0).request().withAnswerWithin(Rig.TIMEOUT))
                .isEqualTo(rig.wire.acquires.get(0).request());
    }

    @Test
    void countsTheValidityFromBeforeTheRequest() {
        Lease lease = rig.held();
        rig.wire.onRenew(step -> {
            Ownership found = step.get();
            rig.hang(Duration.ofSeconds(5));
            return found;
        });
        rig.clock.advance(THIRD.plusSeconds(5));
        long sinceRenewal = rig.clock.nanoTime() - rig.wire.renewals.get(0).atNanos();
        assertThat(lease.remaining()).isEqualTo(Rig.VALIDITY.minusNanos(sinceRenewal));
    }

    @Test
    void oneUnknownAnswerDoesNotEndIt() {
        survivesOnce(() -> {
            throw Wire.noAnswer();
        });
    }

    @Test
    void oneExceptionOfTheBackendDoesNotEndIt() {
        survivesOnce(() -> {
            throw new IllegalStateException("the client is broken");
        });
    }

    @Test
    void oneErrorDoesNotEndIt() {
        survivesOnce(() -> {
            throw new NoClassDefFoundError("of the client");
        });
    }

    private void survivesOnce(Runnable failure) {
        Lease lease = rig.held();
        AtomicInteger tries = new AtomicInteger();
        rig.wire.onRenew(step -> {
            if (tries.getAndIncrement() == 0) {
                failure.run();
            }
            return step.get();
        });
        rig.clock.advance(Rig.TTL.multipliedBy(3));
        assertThat(lease.isHeld()).isTrue();
        assertThat(tries).hasValueGreaterThan(5);
    }

    @Test
    void survivesAnOutageThatIsShorterThanTheValidityThatIsLeft() {
        Lease lease = rig.held();
        rig.store.setNetwork(Network.REFUSES);
        rig.clock.advance(Duration.ofSeconds(28));
        rig.store.setNetwork(Network.UP);
        rig.clock.advance(Rig.TTL);
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void oneRenewalThatHangsToItsBoundDoesNotEndAShortLease() {
        Lease lease = rig.held(rig.lock.withTtl(Duration.ofMillis(300)));
        AtomicInteger tries = new AtomicInteger();
        rig.wire.onRenew(step -> {
            if (tries.getAndIncrement() == 0) {
                rig.hang(rig.wire.renewals.get(0).request().answerWithin());
                throw Wire.noAnswer();
            }
            return step.get();
        });
        rig.clock.advance(Duration.ofSeconds(3));
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void neverHasTwoRenewalsOfALeaseOnTheWay() {
        AtomicInteger flying = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        rig.held();
        rig.wire.onRenew(step -> {
            most.accumulateAndGet(flying.incrementAndGet(), Math::max);
            rig.hang(Duration.ofSeconds(12));
            flying.decrementAndGet();
            return step.get();
        });
        rig.clock.advance(Duration.ofMinutes(10));
        assertThat(most).hasValue(1);
    }

    @Test
    void stopsForALeaseThatNobodyCanReleaseAnyMore() throws InterruptedException {
        List<LossCause> losses = new ArrayList<>();
        dropALease(losses);
        rig.clock.advance(Rig.TTL.multipliedBy(2));
        assertThat(rig.wire.renewals).isEmpty();
        assertThat(losses).containsExactly(LossCause.EXPIRED);
        assertThat(rig.holder()).isEmpty();
        assertThat(timers).isEmpty();
    }

    /** Returns once the lease is unreachable. */
    private void dropALease(List<LossCause> losses) throws InterruptedException {
        WeakReference<Lease> dropped = new WeakReference<>(newLease(losses));
        for (int i = 0; i < 100 && dropped.get() != null; i++) {
            System.gc();
            byte[] pressure = new byte[1 << 20];
            assertThat(pressure).isNotEmpty();
        }
        assertThat(dropped.get()).isNull();
    }

    private Lease newLease(List<LossCause> losses) throws InterruptedException {
        Lease lease = rig.lock.tryAcquire().orElseThrow();
        lease.onLost(losses::add);
        return lease;
    }

    /** Writes down which timers are pending. */
    private record TallyClock(VirtualClock clock, Set<Runnable> timers) implements LockClock {

        @Override
        public long nanoTime() {
            return clock.nanoTime();
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
            return new TallyWorkers(clock.newWorkers(name), timers);
        }
    }

    private record TallyWorkers(LockClock.Workers workers, Set<Runnable> timers) implements LockClock.Workers {

        @Override
        public LockClock.Scheduled after(Duration delay, Runnable task) {
            Runnable timer = new Runnable() {
                @Override
                public void run() {
                    timers.remove(this);
                    task.run();
                }
            };
            timers.add(timer);
            LockClock.Scheduled scheduled = workers.after(delay, timer);
            return () -> {
                timers.remove(timer);
                scheduled.cancel();
            };
        }

        @Override
        public Executor lane(String name, int threads) {
            return workers.lane(name, threads);
        }

        @Override
        public void close() {
            workers.close();
        }
    }
}
