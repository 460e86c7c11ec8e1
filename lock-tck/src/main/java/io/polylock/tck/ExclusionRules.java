// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.polylock.DistributedLock;
import io.polylock.Lease;
import io.polylock.LockManager;
import io.polylock.LockTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** EXC: the stories of those who use locks. */
abstract class ExclusionRules extends Rules {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    ExclusionRules(Supplier<Stage> stage) {
        super(stage);
    }

    /** A number that loses updates unless a lock protects it. */
    private final class PlainCounter {

        private int value;

        void increment() {
            int read = value;
            stage().elapse(Duration.ofMillis(1));
            value = read + 1;
        }
    }

    @Test
    @DisplayName("EXC-1 MUST protect a plain counter: ten threads that increment it under the lock make it ten")
    void exc1_tenThreadsMakeTen() {
        DistributedLock lock = stage().manager().lock(stage().name()).withTtl(Stage.LONG_TTL);
        PlainCounter counter = new PlainCounter();

        List<Stage.Worker<Void>> threads = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            threads.add(stage().fork(() -> {
                lock.run(PATIENCE, lease -> counter.increment());
                return null;
            }));
        }
        threads.forEach(thread -> stage().join(thread, PATIENCE));

        assertEquals(10, counter.value);
    }

    @Test
    @DisplayName("EXC-2 MUST NOT let two managers in at the same time, in any of many races")
    void exc2_managersExcludeEachOther() throws Exception {
        int rounds = 40;
        List<LockManager> managers = List.of(stage().manager(), stage().manager(), stage().manager());
        CyclicBarrier start = new CyclicBarrier(managers.size());
        List<CountDownLatch> asking = new ArrayList<>();
        List<AtomicInteger> winners = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            asking.add(new CountDownLatch(managers.size()));
            winners.add(new AtomicInteger());
            names.add(stage().name());
        }

        List<Stage.Worker<Void>> threads = new ArrayList<>();
        for (LockManager manager : managers) {
            threads.add(stage().fork(() -> {
                for (int round = 0; round < rounds; round++) {
                    DistributedLock lock = stage().fixed(manager, names.get(round), Stage.LONG_TTL);
                    start.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                    Optional<Lease> lease = lock.tryAcquire();
                    if (lease.isPresent()) {
                        winners.get(round).incrementAndGet();
                    }
                    // nobody lets go before all have asked
                    asking.get(round).countDown();
                    assertTrue(asking.get(round).await(PATIENCE.toSeconds(), TimeUnit.SECONDS));
                    lease.ifPresent(Lease::release);
                }
                return null;
            }));
        }
        threads.forEach(thread -> stage().join(thread, PATIENCE));

        winners.forEach(won -> assertEquals(1, won.get(), "how many were inside at the same time"));
    }

    @Test
    @DisplayName("EXC-3 MUST let exactly one in when the holder outlasts everybody's wait")
    void exc3_aHolderWhoOutlastsAllWaitsIsTheOnlyOne() {
        DistributedLock lock = stage().manager().lock(stage().name()).withTtl(Stage.LONG_TTL);
        AtomicInteger served = new AtomicInteger();
        AtomicInteger turnedAway = new AtomicInteger();

        List<Stage.Worker<Void>> people = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            people.add(stage().fork(() -> {
                try {
                    lock.run(Duration.ofMillis(300), lease -> {
                        served.incrementAndGet();
                        stage().eventually("the others give up", Stage.SOON, () -> turnedAway.get() == 4);
                    });
                } catch (LockTimeoutException e) {
                    turnedAway.incrementAndGet();
                }
                return null;
            }));
        }
        people.forEach(person -> stage().join(person, PATIENCE));

        assertEquals(1, served.get());
        assertEquals(4, turnedAway.get());
    }

    @Test
    @DisplayName("EXC-4 MUST serve everybody who waits long enough, one at a time, also when some never release")
    void exc4_fivePeopleOneMeal() throws Exception {
        stage().timely(this::serveFive);
    }

    private void serveFive() {
        String meal = stage().name();
        AtomicInteger eating = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger eaten = new AtomicInteger();
        AtomicBoolean tooSlow = new AtomicBoolean();

        List<Stage.Worker<Void>> people = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            boolean tidy = i % 2 == 0;
            DistributedLock lock = stage().fixed(stage().manager(), meal, Duration.ofSeconds(1));
            people.add(stage().fork(() -> {
                Lease lease = lock.acquire(PATIENCE);
                most.accumulateAndGet(eating.incrementAndGet(), Math::max);
                eaten.incrementAndGet();
                stage().elapse(Duration.ofMillis(20));
                eating.decrementAndGet();
                if (!lease.isHeld()) {
                    tooSlow.set(true); // this one ate on after the lease was over, and may not have been alone
                }
                if (tidy) {
                    lease.release();
                }
                return null;
            }));
        }
        people.forEach(person -> stage().join(person, PATIENCE));

        if (tooSlow.get()) {
            throw new Stage.TooLate(Duration.ofSeconds(1));
        }
        assertEquals(1, most.get(), "how many ate at the same time");
        assertEquals(5, eaten.get(), "how many ate");
    }
}
