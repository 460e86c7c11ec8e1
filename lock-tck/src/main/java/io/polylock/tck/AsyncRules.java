// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.polylock.DistributedLock;
import io.polylock.Lease;
import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.LockTimeoutException;
import io.polylock.spi.LockBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** ASY: acquiring without a thread that waits. */
abstract class AsyncRules extends QueueRules {

    AsyncRules(Supplier<Stage> stage) {
        super(stage);
    }

    @Test
    @DisplayName("ASY-1 MUST complete with a lease: at once if the lock is free, else when it is the waiter's turn")
    void asy1_completesWithALease() {
        Queue queue = new Queue(stage().tampered());
        Lease first = stage().join(queue.lock.acquireAsync(PATIENCE), Stage.PROMPT);
        assertTrue(first.isHeld());
        CompletableFuture<Lease> second = queue.joinAsync(PATIENCE);
        CompletableFuture<Lease> third = queue.joinAsync(PATIENCE);
        assertFalse(second.isDone(), "two hold the lock");

        first.close();

        stage().join(second, Stage.SOON).close();
        stage().join(third, Stage.SOON).close();
        Lease atOnce = stage().join(queue.lock.acquireAsync(Duration.ZERO), Stage.PROMPT);
        assertTrue(atOnce.isHeld());
        atOnce.close();
        assertTrue(stage().isFree(stage().backend(), queue.name));
    }

    @Test
    @DisplayName(
            "ASY-2 MUST hold nothing for a future that others completed: by cancel, orTimeout or a value of their own")
    void asy2_whoeverCompletesTheFutureEndsTheWait() throws Exception {
        List<Consumer<CompletableFuture<Lease>>> ways = List.of(
                future -> future.cancel(false),
                future -> future.completeExceptionally(new IllegalStateException("the kit lost patience")),
                future -> {
                    future.orTimeout(1, TimeUnit.MILLISECONDS);
                    awaitRealTime(future);
                });
        for (Consumer<CompletableFuture<Lease>> way : ways) {
            Queue waiting = new Queue(stage().tampered());
            Held holder = waiting.takenByAnother();
            CompletableFuture<Lease> future = waiting.joinAsync(PATIENCE);
            way.accept(future);
            assertTrue(future.isCompletedExceptionally());
            holder.release();
            leavesNothing(waiting);

            Queue granted = new Queue(stage().tampered());
            CompletableFuture<CompletableFuture<Lease>> asking = new CompletableFuture<>();
            granted.backend.onAcquire = new Tampered.Fault() {
                @Override
                public <T> T around(Supplier<T> request) {
                    T answer = request.get();
                    way.accept(asking.join());
                    return answer;
                }
            };
            asking.complete(granted.lock.acquireAsync(PATIENCE));
            stage().eventually(
                            "the grant arrives", Stage.SOON, () -> asking.join().isCompletedExceptionally());
            leavesNothing(granted);
        }
    }

    /** The time-outs of futures run by the machine's clock. */
    private static void awaitRealTime(CompletableFuture<Lease> future) {
        assertThrows(Exception.class, () -> future.get(Stage.SOON.toSeconds(), TimeUnit.SECONDS));
    }

    private void leavesNothing(Queue queue) {
        LockBackend other = stage().backend();
        stage().eventually("the lock is free", Stage.SOON, () -> stage().isFree(other, queue.name));
        stage().eventually("the listening is ended", Stage.SOON, () -> queue.backend.listening() == 0);
        int asked = queue.backend.asked();
        stage().elapse(Duration.ofMillis(1_500));
        assertEquals(asked, queue.backend.asked(), "requests after the wait was ended");
        assertTrue(stage().isFree(other, queue.name));
    }

    @Test
    @DisplayName(
            "ASY-3 MUST NOT run the stages of a future on the thread of whoever released, or of the store's signals")
    void asy3_completesOnAThreadOfItsOwn() throws Exception {
        Queue queue = new Queue(stage().tampered());
        List<Thread> signallers = new ArrayList<>();
        queue.backend.onSignal = signal -> {
            signallers.add(Thread.currentThread());
            signal.run();
        };
        Lease own = got(queue.lock.tryAcquire());
        CompletableFuture<Thread> afterHandover = stageOf(queue.joinAsync(PATIENCE));
        own.release();
        assertNotEquals(Thread.currentThread(), stage().join(afterHandover, Stage.SOON), "the releaser's thread");

        Held holder = queue.takenByAnother();
        CompletableFuture<Thread> afterSignal = stageOf(queue.joinAsync(PATIENCE));
        stage().elapse(Duration.ofMillis(100));
        holder.release();
        Thread thread = stage().join(afterSignal, Stage.SOON);
        assertNotEquals(Thread.currentThread(), thread, "the releaser's thread");
        assertFalse(signallers.contains(thread), "the thread of the signals");
    }

    private static CompletableFuture<Thread> stageOf(CompletableFuture<Lease> future) {
        return future.thenApply(lease -> {
            Thread thread = Thread.currentThread();
            lease.release();
            return thread;
        });
    }

    @Test
    @DisplayName("ASY-4 MUST NOT need a thread for each waiter: 200 share fewer than 20, and each gets the lock")
    void asy4_waitersNeedNoThreads() throws Exception {
        int crowd = 200;
        Queue queue = new Queue(stage().tampered());
        Lease first = got(queue.lock.tryAcquire());
        stage().elapse(Duration.ofMillis(50));
        int before = Thread.activeCount();
        List<CompletableFuture<Void>> futures = new ArrayList<>();
        for (int i = 0; i < crowd; i++) {
            futures.add(queue.lock.acquireAsync(PATIENCE).thenAccept(Lease::close));
        }
        stage().eventually("all are in line", Stage.SOON, () -> queue.ear.contended() == crowd);
        int threads = Thread.activeCount() - before;

        first.close();

        stage().join(CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)), Duration.ofMinutes(1));
        assertTrue(threads < 20, threads + " threads for " + crowd + " waiters");
    }

    @Test
    @DisplayName(
            "ASY-5 MUST tell of a deadline, a silent store, a refusal, wrong input and a closed manager as acquire does")
    void asy5_failsAsAcquireDoes() throws Exception {
        Queue queue = new Queue(stage().tampered());
        Held holder = queue.takenByAnother();
        Duration wait = Duration.ofMillis(300);
        long start = stage().nanos();
        LockTimeoutException timeout = assertInstanceOf(
                LockTimeoutException.class, stage().failure(queue.lock.acquireAsync(wait), Stage.SOON));
        assertTrue(stage().since(start).compareTo(wait) >= 0, "the wait ended early, after " + stage().since(start));
        assertEquals(queue.name, timeout.lockName());
        assertInstanceOf(
                LockTimeoutException.class,
                stage().failure(queue.lock.acquireAsync(Duration.ZERO), Stage.PROMPT),
                "a wait of zero");
        holder.release();

        queue.backend.onAcquire = Tampered.Fault.LOSE_REQUEST;
        assertEquals(Outcome.UNKNOWN, outcome(queue.lock.acquireAsync(wait)));
        queue.backend.onAcquire = Tampered.Fault.REFUSE;
        assertEquals(Outcome.REFUSED, outcome(queue.lock.acquireAsync(PATIENCE)));
        int asked = queue.backend.asked();
        assertThrows(IllegalArgumentException.class, () -> queue.lock.acquireAsync(Duration.ofNanos(-1)));
        DistributedLock nonsense = queue.manager.lock(queue.name).withTtl(Duration.ofMillis(299));
        assertThrows(IllegalArgumentException.class, () -> nonsense.acquireAsync(PATIENCE));
        assertEquals(asked, queue.backend.asked(), "requests with wrong input");

        queue.backend.onAcquire = Tampered.Fault.NONE;
        stage().join(
                        stage().fork(() -> {
                            queue.manager.close();
                            return queue;
                        }),
                        Stage.SOON);
        assertInstanceOf(IllegalStateException.class, stage().failure(queue.lock.acquireAsync(PATIENCE), Stage.PROMPT));
    }

    private Outcome outcome(CompletableFuture<Lease> future) {
        return assertInstanceOf(LockBackendException.class, stage().failure(future, Stage.PROMPT))
                .outcome();
    }

    @Test
    @DisplayName(
            "ASY-6 MUST NOT let a stage that throws, or one that blocks, keep the waiters of other locks from theirs")
    void asy6_aBadStageHarmsNoOtherLock() {
        Queue queue = new Queue(stage().tampered());
        AtomicBoolean goOn = new AtomicBoolean();
        Lease first = stage().join(queue.lock.acquireAsync(PATIENCE), Stage.PROMPT);
        // in line, so that the stage is attached before the future is completed: a later one runs here, on our thread
        CompletableFuture<Void> blocked =
                queue.joinAsync(PATIENCE).thenAccept(lease -> stage().within(Duration.ofMinutes(1), goOn::get));
        first.close();
        DistributedLock throwing = stage().fixed(queue.manager, stage().name(), Stage.LONG_TTL);
        CompletableFuture<Void> thrown = throwing.acquireAsync(PATIENCE).thenAccept(lease -> {
            throw new IllegalStateException("the kit lets a stage fail");
        });

        assertInstanceOf(IllegalStateException.class, rootOf(stage().failure(thrown, Stage.SOON)));
        for (int i = 0; i < 10; i++) {
            DistributedLock other = stage().fixed(queue.manager, stage().name(), Stage.LONG_TTL);
            stage().join(other.acquireAsync(PATIENCE), Stage.PROMPT).close();
        }
        CompletableFuture<Lease> late = throwing.acquireAsync(Duration.ofMillis(200));
        assertInstanceOf(LockTimeoutException.class, stage().failure(late, Stage.PROMPT));
        assertFalse(blocked.isDone());
        goOn.set(true);
        stage().join(blocked, Stage.SOON);
    }

    private static Throwable rootOf(Throwable failure) {
        return failure.getCause() == null ? failure : failure.getCause();
    }
}
