// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.polylock.DistributedLock;
import io.polylock.Lease;
import io.polylock.LockEvent;
import io.polylock.LockEvent.WokenBy;
import io.polylock.LockManager;
import io.polylock.LockTimeoutException;
import io.polylock.LossCause;
import io.polylock.ReleaseOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** OBS: what a listener hears. */
abstract class ListenerRules extends QueueRules {

    ListenerRules(Supplier<Stage> stage) {
        super(stage);
    }

    private static List<Class<?>> kinds(Ear ear) {
        List<Class<?>> kinds = new ArrayList<>();
        for (LockEvent event : ear.all()) {
            if (kinds.isEmpty() || !kinds.get(kinds.size() - 1).equals(event.getClass())) {
                kinds.add(event.getClass());
            }
        }
        return kinds;
    }

    private static void assertBetween(Duration least, Duration most, Duration actual, String what) {
        assertTrue(
                actual.compareTo(least) >= 0 && actual.compareTo(most) <= 0,
                what + " " + actual + " is not between " + least + " and " + most);
    }

    @Test
    @DisplayName(
            "OBS-1 MUST tell a listener, in order, that a lease was acquired, with its token, renewed, with the margin that was left, and released, with the time it was held")
    void obs1_tellsTheLifeOfALease() throws Exception {
        Ear ear = new Ear();
        LockManager manager = stage().manager(stage().backend(), ear);
        Duration ttl = Stage.RENEWED_TTL;
        long start = stage().nanos();
        Lease lease = got(manager.lock(stage().name()).withTtl(ttl).tryAcquire());
        long got = stage().nanos();
        stage().eventually(
                        "the lease is renewed",
                        Stage.SOON,
                        () -> ear.all(LockEvent.Renewed.class).size() > 1);
        Duration least = stage().since(got);
        lease.close();
        Duration most = stage().since(start);
        stage().eventually("the release is told", Stage.SOON, () -> !ear.all(LockEvent.Released.class)
                .isEmpty());

        assertEquals(List.of(LockEvent.Acquired.class, LockEvent.Renewed.class, LockEvent.Released.class), kinds(ear));
        LockEvent.Acquired acquired = ear.all(LockEvent.Acquired.class).get(0);
        assertEquals(WokenBy.FIRST_ASK, acquired.wokenBy());
        assertEquals(lease.fencingToken(), acquired.fencingToken());
        assertBetween(Duration.ZERO, Duration.ofNanos(got - start), acquired.waited(), "waited");
        for (LockEvent.Renewed renewed : ear.all(LockEvent.Renewed.class)) {
            assertBetween(Duration.ofNanos(1), ttl.multipliedBy(3).dividedBy(4), renewed.margin(), "margin");
        }
        LockEvent.Released released = ear.all(LockEvent.Released.class).get(0);
        assertEquals(ReleaseOutcome.RELEASED, released.outcome());
        assertBetween(least, most, released.held(), "held");
        ear.all().forEach(event -> assertEquals(lease.lockName(), event.lockName()));
    }

    @Test
    @DisplayName(
            "OBS-2 MUST tell a listener once of each call that it found the lock taken, and how its wait ended: how long it took, and what woke it")
    void obs2_tellsOfWaiting() {
        Queue queue = new Queue(stage().tampered());
        Held holder = queue.takenByAnother();
        Duration wait = Duration.ofMillis(300);
        assertInstanceOf(LockTimeoutException.class, stage().failure(queue.join(wait), Stage.SOON));
        stage().eventually("the timeout is told", Stage.SOON, () -> !queue.ear
                .all(LockEvent.TimedOut.class)
                .isEmpty());
        assertEquals(List.of(LockEvent.Contended.class, LockEvent.TimedOut.class), kinds(queue.ear));
        assertBetween(
                wait, Stage.SOON, queue.ear.all(LockEvent.TimedOut.class).get(0).waited(), "waited");

        Stage.Worker<Lease> first = queue.join(PATIENCE);
        Stage.Worker<Lease> second = queue.join(PATIENCE);
        stage().elapse(wait);
        holder.release();
        stage().join(first, Stage.SOON).close();
        stage().join(second, Stage.SOON).close();
        stage().eventually(
                        "both grants are told",
                        Stage.SOON,
                        () -> queue.ear.all(LockEvent.Released.class).size() == 2);

        List<LockEvent.Acquired> acquired = queue.ear.all(LockEvent.Acquired.class);
        assertEquals(2, acquired.size());
        for (LockEvent.Acquired each : acquired) {
            assertBetween(wait, Stage.SOON.multipliedBy(3), each.waited(), "waited");
            assertFalse(each.wokenBy() == WokenBy.FIRST_ASK, "woken by nothing");
        }
        WokenBy woken = acquired.get(1).wokenBy();
        assertTrue(
                woken == WokenBy.HAND_OVER || woken == WokenBy.LOCAL_RELEASE, "after a lease of the manager: " + woken);
        assertEquals(3, queue.ear.contended(), "calls that found the lock taken");
    }

    @Test
    @DisplayName(
            "OBS-3 MUST tell a listener of a loss, with its cause and the time it was held, before the release that finds it")
    void obs3_tellsOfALoss() throws Exception {
        Ear ear = new Ear();
        LockManager manager = stage().manager(stage().backend(), ear);
        Lease lease = got(stage().fixed(manager, stage().name(), Stage.TTL).tryAcquire());
        stage().eventually("the loss is told", Stage.SOON, () -> !ear.all(LockEvent.Lost.class)
                .isEmpty());
        stage().elapse(Stage.TTL);
        lease.release();
        stage().eventually("the release is told", Stage.SOON, () -> !ear.all(LockEvent.Released.class)
                .isEmpty());

        assertEquals(List.of(LockEvent.Acquired.class, LockEvent.Lost.class, LockEvent.Released.class), kinds(ear));
        LockEvent.Lost lost = ear.all(LockEvent.Lost.class).get(0);
        assertEquals(LossCause.EXPIRED, lost.cause());
        assertBetween(Stage.TTL.multipliedBy(4).dividedBy(5), Stage.SOON, lost.held(), "held");
        LockEvent.Released released = ear.all(LockEvent.Released.class).get(0);
        assertEquals(ReleaseOutcome.NOT_HELD, released.outcome());
        assertEquals(lost.held(), released.held(), "held until the loss");
    }

    @Test
    @DisplayName(
            "OBS-4 MUST NOT let a listener that throws, or one that blocks, harm anybody, nor keep another one from hearing")
    void obs4_aBadListenerHarmsNobody() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        Ear blocking = new Ear() {
            @Override
            void hear(LockEvent event) {
                await(goOn);
                super.hear(event);
            }
        };
        Ear throwing = new Ear() {
            @Override
            void hear(LockEvent event) {
                throw new IllegalStateException("the kit lets a listener fail");
            }
        };
        CountDownLatch heard = new CountDownLatch(4);
        Ear good = new Ear() {
            @Override
            void hear(LockEvent event) {
                super.hear(event);
                heard.countDown();
            }
        };
        LockManager manager = stage().manager(stage().backend(), options -> options.withListener(blocking)
                .withListener(throwing)
                .withListener(good));
        DistributedLock lock = stage().fixed(manager, stage().name(), Stage.LONG_TTL);

        // real time and a thread of its own: the clock of a test waits for the one that is blocked
        CompletableFuture<List<ReleaseOutcome>> work =
                CompletableFuture.supplyAsync(() -> List.of(use(lock), use(lock)));
        try {
            assertEquals(
                    List.of(ReleaseOutcome.RELEASED, ReleaseOutcome.RELEASED),
                    work.get(Stage.PROMPT.toSeconds(), TimeUnit.SECONDS));
            await(heard);
            assertEquals(
                    List.of(
                            LockEvent.Acquired.class,
                            LockEvent.Released.class,
                            LockEvent.Acquired.class,
                            LockEvent.Released.class),
                    kinds(good));
            assertEquals(List.of(), blocking.all());
        } finally {
            goOn.countDown();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(Stage.SOON.toSeconds(), TimeUnit.SECONDS), "it did not come");
        } catch (InterruptedException managerCloses) {
            Thread.currentThread().interrupt();
        }
    }

    private static ReleaseOutcome use(DistributedLock lock) {
        try {
            return got(lock.tryAcquire()).release();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
