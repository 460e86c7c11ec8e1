// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.polylock.DistributedLock;
import io.polylock.Lease;
import io.polylock.LockException;
import io.polylock.LockTimeoutException;
import io.polylock.spi.Handover;
import io.polylock.spi.LockBackend;
import io.polylock.spi.ReleaseSignals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** WAI: who is served when, by what, and what waiting costs. */
abstract class WaitRules extends QueueRules {

    WaitRules(Supplier<Stage> stage) {
        super(stage);
    }

    @Test
    @DisplayName("WAI-1 MUST serve the waiters of one manager in the order in which they came")
    void wai1_servesInOrder() {
        servesInOrder(new Queue(stage().tampered()));
        servesInOrder(new Queue(stage().tampered(Set.of(Handover.class, ReleaseSignals.class))));
    }

    private void servesInOrder(Queue queue) {
        Held holder = queue.takenByAnother();
        List<Integer> served = Collections.synchronizedList(new ArrayList<>());
        List<Stage.Worker<Boolean>> waiters = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int number = i;
            waiters.add(queue.join(() -> queue.lock.call(PATIENCE, lease -> served.add(number))));
        }

        holder.release();

        waiters.forEach(waiter -> stage().join(waiter, Stage.SOON));
        assertEquals(List.of(0, 1, 2, 3, 4), served);
    }

    @Test
    @DisplayName(
            "WAI-2 MUST give a released lock to a waiter of another manager long before a safety poll, if the store signals")
    void wai2_aSignalWakes() {
        for (int round = 0; round < 3; round++) {
            Queue queue = signalled();
            Held holder = queue.takenByAnother();
            Stage.Worker<Lease> waiter = stage().fork(() -> queue.lock.acquire(PATIENCE));
            queue.settle(0);

            holder.release();

            stage().join(waiter, Stage.PROMPT).close();
        }
    }

    @Test
    @DisplayName(
            "WAI-3 MUST find a released lock within a safety poll when no signal comes: 6 s if the store has signals, 1.2 s if not")
    void wai3_relyOnNoSignal() {
        Queue silent = new Queue(stage().tampered(Set.of(ReleaseSignals.class)));
        findsByItself(silent, Duration.ofMillis(1_200));
        Queue deaf = new Queue(stage().tampered());
        deaf.backend.onSignal = signal -> {};
        findsByItself(deaf, SAFETY_POLL);
    }

    private void findsByItself(Queue queue, Duration bound) {
        Held holder = queue.takenByAnother();
        Stage.Worker<Lease> waiter = queue.join(PATIENCE);
        stage().elapse(Duration.ofMillis(300));

        holder.release();

        stage().join(waiter, stage().timeIsVirtual() ? bound : bound.plus(Stage.PROMPT))
                .close();
    }

    @Test
    @DisplayName(
            "WAI-4 MUST take over when the TTL of a holder ends that never releases: at once if the store told that end")
    void wai4_anExpiryWakesToo() {
        Queue queue = new Queue(stage().tampered());
        LockBackend other = stage().backend();
        taken(other, queue.name, Stage.TTL);
        boolean told = assertContended(other.tryAcquire(stage().request(queue.name, Stage.TTL)))
                .freeIn()
                .isPresent();

        Stage.Worker<Lease> waiter = stage().fork(() -> queue.lock.acquire(PATIENCE));

        Duration bound = told ? Stage.TTL : Stage.TTL.plus(SAFETY_POLL);
        stage().join(waiter, bound.plus(Stage.PROMPT)).close();
    }

    @Test
    @DisplayName("WAI-5 MUST wait on when it was woken and another one was faster")
    void wai5_aLostRaceIsNotTheEnd() {
        Queue one = new Queue(stage().tampered());
        Tampered backend = stage().tampered();
        DistributedLock same = stage().fixed(stage().manager(backend), one.name, Stage.LONG_TTL);
        Held holder = one.takenByAnother();
        Stage.Worker<Lease> first = one.join(PATIENCE);
        Stage.Worker<Lease> second = stage().fork(() -> same.acquire(PATIENCE));
        stage().eventually("both wait", Stage.SOON, () -> backend.acquires.get() > 0);
        stage().elapse(Duration.ofMillis(200));

        holder.release();
        one.backend.signalFalsely();
        backend.signalFalsely();

        stage().eventually(
                        "one of them has the lock",
                        Stage.SOON,
                        () -> first.result().isDone() || second.result().isDone());
        stage().elapse(Duration.ofMillis(200));
        boolean firstWon = first.result().isDone();
        Stage.Worker<Lease> winner = firstWon ? first : second;
        Stage.Worker<Lease> loser = firstWon ? second : first;
        assertFalse(loser.result().isDone(), "the slower one did not wait on");
        stage().join(winner, Stage.SOON).close();
        stage().join(loser, Stage.SOON).close();
    }

    @Test
    @DisplayName(
            "WAI-6 MUST end the wait of each one in line at its own deadline, also while the request of the first one hangs")
    void wai6_everyDeadlineHolds() {
        Queue queue = new Queue(stage().tampered());
        AtomicInteger hanging = new AtomicInteger();
        queue.backend.onAcquire = new Tampered.Fault() {
            @Override
            public <T> T around(Supplier<T> request) {
                hanging.incrementAndGet();
                stage().elapse(Duration.ofSeconds(5));
                return Tampered.Fault.LOSE_REQUEST.around(request);
            }
        };
        Stage.Worker<Lease> first = stage().fork(() -> queue.lock.acquire(PATIENCE));
        stage().eventually("the first one asks", Stage.SOON, () -> hanging.get() == 1);

        Duration wait = Duration.ofMillis(400);
        long start = stage().nanos();
        Stage.Worker<Lease> second = stage().fork(() -> queue.lock.acquire(wait));
        CompletableFuture<Lease> third = queue.lock.acquireAsync(wait);

        assertInstanceOf(LockException.class, stage().failure(second, Stage.PROMPT));
        assertInstanceOf(LockException.class, stage().failure(third, Stage.PROMPT));
        Duration took = stage().since(start);
        assertTrue(took.compareTo(wait) >= 0, "the wait ended early, after " + took);
        assertEquals(1, hanging.get(), "requests while one hangs");
        queue.backend.onAcquire = Tampered.Fault.NONE;
        stage().join(first, Stage.SOON).close();
    }

    @Test
    @DisplayName("WAI-7 MUST serve the next in line when those in front gave up, and hold nothing for these")
    void wai7_whoeverGivesUpIsInNobodysWay() {
        Queue queue = new Queue(stage().tampered());
        Held holder = queue.takenByAnother();
        Stage.Worker<Lease> head = queue.join(PATIENCE);
        Stage.Worker<Lease> hasty = queue.join(Duration.ofMillis(300));
        Stage.Worker<Lease> queued = queue.join(PATIENCE);
        CompletableFuture<Lease> cancelled = queue.joinAsync(PATIENCE);
        Stage.Worker<Lease> patient = queue.join(PATIENCE);

        stage().interrupt(queued);
        assertInstanceOf(InterruptedException.class, stage().failure(queued, Stage.PROMPT));
        assertTrue(cancelled.cancel(false));
        stage().interrupt(head);
        assertInstanceOf(InterruptedException.class, stage().failure(head, Stage.PROMPT));
        assertInstanceOf(LockTimeoutException.class, stage().failure(hasty, Stage.SOON));
        holder.release();

        stage().join(patient, Stage.SOON).close();
        assertTrue(stage().isFree(stage().backend(), queue.name), "one who gave up holds the lock");
    }

    @Test
    @DisplayName(
            "WAI-8 MUST NOT ask more often for a crowd than for one: one request and no more than three others for each who is served")
    void wai8_aCrowdAsksLikeOne() {
        int crowd = 30;
        Queue queue = new Queue(stage().tampered());
        Held holder = queue.takenByAnother();
        List<Stage.Worker<Void>> waiters = new ArrayList<>();
        for (int i = 0; i < crowd; i++) {
            waiters.add(stage().fork(() -> {
                queue.lock.run(PATIENCE, lease -> {});
                return null;
            }));
        }
        stage().eventually("all are in line", Stage.SOON, () -> queue.ear.contended() == crowd);
        stage().elapse(Duration.ofSeconds(2));
        int asked = queue.backend.asked();
        // ten pauses that double to 1 s, until a signal may be relied on
        int most = queue.backend.feature(ReleaseSignals.class).isPresent() ? 6 : 16;
        assertTrue(asked <= most, asked + " requests while the lock was held");

        holder.release();
        waiters.forEach(waiter -> stage().join(waiter, Stage.SOON));

        int served = queue.backend.asked() + queue.backend.releases.get() - asked;
        assertTrue(served <= 4 * crowd, served + " requests to serve " + crowd);
    }

    @Test
    @DisplayName("WAI-9 MUST ask once and at once when the wait is zero, whoever else is in line")
    void wai9_aWaitOfZeroPassesTheLine() {
        Queue queue = new Queue(stage().tampered());
        Held holder = queue.takenByAnother();
        Stage.Worker<Lease> patient = queue.join(PATIENCE);
        stage().elapse(Duration.ofMillis(100));
        ConcurrentLinkedQueue<Thread> askers = new ConcurrentLinkedQueue<>();
        queue.backend.onAcquire = new Tampered.Fault() {
            @Override
            public <T> T around(Supplier<T> request) {
                askers.add(Thread.currentThread());
                return request.get();
            }
        };

        Stage.Worker<Lease> hasty = stage().fork(() -> queue.lock.acquire(Duration.ZERO));
        assertInstanceOf(LockTimeoutException.class, stage().failure(hasty, Stage.PROMPT));

        assertEquals(1, askers.stream().filter(hasty.thread()::equals).count(), "requests of one whose wait is zero");
        holder.release();
        stage().join(patient, Stage.SOON).close();
    }

    @Test
    @DisplayName("WAI-10 MUST NOT miss a release that comes between the refusal and the listening for signals")
    void wai10_noWakeUpIsLost() throws Exception {
        Queue before = signalled();
        Held first = before.takenByAnother();
        before.backend.onWatch = releasing(first, Order.FIRST);
        stage().join(stage().fork(() -> before.lock.acquire(PATIENCE)), Stage.PROMPT)
                .close();

        Queue after = signalled();
        Held second = after.takenByAnother();
        after.backend.onWatch = releasing(second, Order.LAST);
        stage().join(stage().fork(() -> after.lock.acquire(PATIENCE)), Stage.PROMPT)
                .close();

        for (int round = 0; round < 40; round++) {
            Queue raced = signalled();
            Held holder = raced.takenByAnother();
            CyclicBarrier start = new CyclicBarrier(2);
            Duration head = Duration.ofNanos(25_000L * round);
            Stage.Worker<Lease> waiter = stage().fork(() -> {
                start.await(Stage.SOON.toSeconds(), TimeUnit.SECONDS);
                return raced.lock.acquire(PATIENCE);
            });
            start.await(Stage.SOON.toSeconds(), TimeUnit.SECONDS);
            stage().elapse(head);
            holder.release();
            stage().join(waiter, Stage.PROMPT).close();
        }
    }

    private enum Order {
        FIRST,
        LAST
    }

    /** The holder releases just before the listening begins, or just after it was confirmed. */
    private static Tampered.Fault releasing(Held holder, Order order) {
        return new Tampered.Fault() {
            @Override
            public <T> T around(Supplier<T> request) {
                if (order == Order.FIRST) {
                    holder.release();
                    return request.get();
                }
                T confirmed = request.get();
                holder.release();
                return confirmed;
            }
        };
    }

    @Test
    @DisplayName("WAI-11 MUST end all requests and listenings for a lock with its last waiter")
    void wai11_leavesNothingBehind() {
        Queue queue = new Queue(stage().tampered());
        Held holder = queue.takenByAnother();
        Stage.Worker<Lease> late = queue.join(Duration.ofMillis(500));
        Stage.Worker<Lease> interrupted = queue.join(PATIENCE);
        CompletableFuture<Lease> cancelled = queue.joinAsync(PATIENCE);
        stage().interrupt(interrupted);
        cancelled.cancel(false);
        assertInstanceOf(LockTimeoutException.class, stage().failure(late, Stage.SOON));
        stage().eventually("the listening is ended", Stage.SOON, () -> queue.backend.listening() == 0);
        int asked = queue.backend.asked();

        stage().elapse(Duration.ofSeconds(2));

        assertEquals(asked, queue.backend.asked(), "requests after the last one gave up");
        holder.release();
        assertTrue(stage().isFree(stage().backend(), queue.name), "one who gave up holds the lock");
    }

    @Test
    @DisplayName(
            "WAI-12 MUST bear false, doubled and late signals: one request for each at most, and no deadline moves")
    void wai12_aSignalIsOnlyAHint() {
        Queue queue = signalled();
        Held holder = queue.takenByAnother();
        Duration wait = Duration.ofSeconds(1);
        long start = stage().nanos();
        Stage.Worker<Lease> waiter = stage().fork(() -> queue.lock.acquire(wait));
        queue.settle(0);
        int signals = 0;
        while (!waiter.result().isDone() && stage().since(start).compareTo(Stage.SOON) < 0) {
            queue.backend.signalFalsely();
            signals++;
            stage().elapse(Duration.ofMillis(50));
        }

        assertInstanceOf(LockTimeoutException.class, stage().failure(waiter, Stage.SOON));
        Duration took = stage().since(start);
        assertTrue(
                took.compareTo(wait) >= 0 && took.compareTo(wait.plus(Stage.PROMPT)) < 0, "a wait of 1 s took " + took);
        int asked = queue.backend.asked();
        assertTrue(asked <= signals + 4, asked + " requests for " + signals + " false signals");
        queue.backend.signalFalsely();
        stage().elapse(Duration.ofMillis(100));
        assertEquals(asked, queue.backend.asked(), "requests after a late signal");

        queue.backend.onSignal = signal -> {
            signal.run();
            signal.run();
        };
        Stage.Worker<Lease> next = stage().fork(() -> queue.lock.acquire(PATIENCE));
        queue.settle(asked);
        holder.release();
        stage().join(next, Stage.PROMPT).close();
        assertTrue(stage().isFree(stage().backend(), queue.name), "a doubled signal took the lock twice");
    }

    @Test
    @DisplayName("WAI-13 MUST NOT ask for a lock that the same manager holds, but for a safety poll")
    void wai13_knowsItsOwnLeases() throws Exception {
        Queue queue = new Queue(stage().tampered());
        Lease lease = got(queue.lock.tryAcquire());
        List<Stage.Worker<Lease>> waiters = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiters.add(queue.join(() -> queue.lock.call(PATIENCE, held -> held)));
        }
        stage().elapse(Duration.ofSeconds(2));

        int asked = queue.backend.asked();
        assertTrue(asked <= 2, asked - 1 + " requests for a lock of one's own");
        lease.close();
        waiters.forEach(waiter -> stage().join(waiter, Stage.SOON));
    }

    @Test
    @DisplayName("WAI-14 MUST NOT poll in step with others")
    void wai14_pollsAreSpread() throws Exception {
        Queue one = new Queue(stage().tampered(Set.of(ReleaseSignals.class)));
        one.takenByAnother();
        Tampered backend = stage().tampered(Set.of(ReleaseSignals.class));
        DistributedLock same = stage().fixed(stage().manager(backend), one.name, Stage.LONG_TTL);
        List<List<Long>> asked = List.of(new ArrayList<>(), new ArrayList<>());
        one.backend.onAcquire = noting(asked.get(0));
        backend.onAcquire = noting(asked.get(1));

        CyclicBarrier start = new CyclicBarrier(2);
        List<Stage.Worker<Lease>> waiters = new ArrayList<>();
        for (DistributedLock lock : List.of(one.lock, same)) {
            waiters.add(stage().fork(() -> {
                start.await(Stage.SOON.toSeconds(), TimeUnit.SECONDS);
                return lock.acquire(Duration.ofSeconds(2));
            }));
        }
        waiters.forEach(waiter -> stage().failure(waiter, Stage.SOON));

        AtomicBoolean spread = new AtomicBoolean();
        int both = Math.min(asked.get(0).size(), asked.get(1).size());
        IntStream.range(0, both).forEach(i -> {
            long apart = Math.abs(asked.get(0).get(i) - asked.get(1).get(i));
            spread.compareAndSet(false, apart > 1_000_000);
        });
        assertTrue(spread.get(), "two managers asked at the same moments: " + asked);
    }

    /** Writes down when requests are sent. */
    private Tampered.Fault noting(List<Long> moments) {
        List<Long> guarded = Collections.synchronizedList(moments);
        return new Tampered.Fault() {
            @Override
            public <T> T around(Supplier<T> request) {
                guarded.add(stage().nanos());
                return request.get();
            }
        };
    }
}
