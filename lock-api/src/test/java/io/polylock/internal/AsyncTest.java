// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polylock.Lease;
import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.LockEvent;
import io.polylock.LockManager;
import io.polylock.LockTimeoutException;
import io.polylock.ManagerOptions;
import io.polylock.memory.MemoryLockBackend;
import io.polylock.memory.MemoryStore.Network;
import io.polylock.memory.VirtualClock;
import io.polylock.spi.LockClock;
import io.polylock.spi.Ownership;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class AsyncTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);

    @AutoClose
    private final Rig rig = new Rig();

    private CompletableFuture<Lease> async(Duration wait) {
        CompletableFuture<Lease> future = rig.lock.acquireAsync(wait);
        rig.clock.advance(Duration.ZERO);
        return future;
    }

    private static void failsWith(CompletableFuture<?> future, Class<? extends Throwable> type) {
        assertThat(future)
                .failsWithin(Duration.ZERO)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(type);
    }

    @Test
    void completesWithTheLease() throws Exception {
        Lease lease = async(MINUTE).get();
        rig.clock.advance(Rig.TTL.multipliedBy(5));
        assertThat(lease.isHeld()).isTrue();
        lease.close();
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void zeroIsOneRequestPastTheLine() {
        rig.takenByAnother(HOUR);
        CompletableFuture<Lease> inLine = async(HOUR);
        int asked = rig.wire.acquires.size();
        failsWith(async(Duration.ZERO), LockTimeoutException.class);
        assertThat(rig.wire.acquires).hasSize(asked + 1);
        assertThat(inLine).isNotDone();
    }

    @Test
    void zeroTakesAFreeLock() throws Exception {
        assertThat(async(Duration.ZERO).get().isHeld()).isTrue();
    }

    @Test
    void endsAtItsDeadline() {
        rig.takenByAnother(HOUR);
        Duration wait = Duration.ofNanos(3_000_000_001L);
        CompletableFuture<Lease> future = async(wait);
        rig.clock.advance(wait.minusNanos(1));
        assertThat(future).isNotDone();
        rig.clock.advance(Duration.ofNanos(1));
        rig.clock.advance(Duration.ZERO);
        failsWith(future, LockTimeoutException.class);
    }

    @Test
    void itsTimeoutIsToldOnce() throws Exception {
        Heard heard = new Heard();
        try (Rig told = new Rig(heard)) {
            var holder = told.takenByAnother(HOUR);
            told.wire.onInspect(
                    () -> { // the last look, 50 ms before the end
                        told.other.release(holder);
                        told.held();
                        told.hang(Duration.ofMillis(100));
                    });
            CompletableFuture<Lease> future = told.lock.acquireAsync(Duration.ofSeconds(1));
            told.clock.advance(Duration.ofSeconds(2));
            failsWith(future, LockTimeoutException.class);
            assertThat(heard.only(LockEvent.TimedOut.class)).hasSize(1);
        }
    }

    @Test
    void aWaitThatWasCancelledIsNoTimeout() throws Exception {
        Heard heard = new Heard();
        try (Rig told = new Rig(heard)) {
            var holder = told.takenByAnother(HOUR);
            CompletableFuture<Lease> future = told.lock.acquireAsync(Duration.ofSeconds(1));
            told.wire.onInspect(() -> {
                told.other.release(holder);
                told.held();
                future.cancel(false);
            });
            told.clock.advance(Duration.ofSeconds(2));
            assertThat(future).isCancelled();
            assertThat(heard.only(LockEvent.TimedOut.class)).isEmpty();
        }
    }

    @Test
    void oneThatFindsNoThreadForItsTurnIsWokenAllTheSame() {
        AtomicReference<String> scarce = new AtomicReference<>("");
        try (Rig poor = new Rig(clock -> new ScarceThreads(clock, scarce))) {
            var holder = poor.takenByAnother(HOUR);
            CompletableFuture<Lease> future = poor.lock.acquireAsync(HOUR);
            poor.clock.advance(Duration.ofSeconds(1));
            scarce.set("head");
            assertThat(poor.other.release(holder)).isEqualTo(Ownership.HELD);
            poor.clock.advance(Duration.ZERO);
            scarce.set("");
            poor.clock.advance(Duration.ofSeconds(1));
            assertThat(future).isCompleted();
        }
    }

    @Test
    void oneThatFindsNoThreadForItsCompletionIsCompletedAllTheSame() {
        AtomicReference<String> scarce = new AtomicReference<>("completion");
        try (Rig poor = new Rig(clock -> new ScarceThreads(clock, scarce))) {
            CompletableFuture<Lease> future = poor.lock.acquireAsync(HOUR);
            poor.clock.advance(Duration.ZERO);
            scarce.set("");
            poor.clock.advance(Duration.ofSeconds(1));
            assertThat(future).isCompleted();
        }
    }

    /** A machine on which a lane can have no new thread at times. */
    private record ScarceThreads(VirtualClock clock, AtomicReference<String> lane) implements LockClock {

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
        public Workers newWorkers(String prefix) {
            Workers workers = clock.newWorkers(prefix);
            return new Workers() {
                @Override
                public Scheduled after(Duration delay, Runnable task) {
                    return workers.after(delay, task);
                }

                @Override
                public Executor lane(String name, int threads) {
                    Executor real = workers.lane(name, threads);
                    return task -> {
                        if (name.equals(lane.get())) {
                            throw new OutOfMemoryError("unable to create native thread");
                        }
                        real.execute(task);
                    };
                }

                @Override
                public void close() {
                    workers.close();
                }
            };
        }
    }

    @Test
    void closingCompletesAlsoThoseThatStagesWhichBlockKeepWaiting() throws Exception {
        ManagerOptions quick = ManagerOptions.DEFAULTS.withCloseGrace(Duration.ZERO);
        CompletableFuture<Void> end = new CompletableFuture<>();
        CompletableFuture<Lease> last;
        try (LockManager manager = LockManager.of(MemoryLockBackend.create(), quick)) {
            CountDownLatch blocked = new CountDownLatch(2);
            for (String name : List.of("a", "b")) {
                CompletableFuture<Void> unused = manager.lock(name)
                        .acquireAsync(MINUTE)
                        .thenAccept(lease -> {
                            blocked.countDown();
                            end.join();
                        });
            }
            assertThat(blocked.await(10, TimeUnit.SECONDS)).isTrue();
            last = manager.lock("c").acquireAsync(MINUTE);
        }
        assertThatThrownBy(() -> last.get(10, TimeUnit.SECONDS).close()).isNotInstanceOf(TimeoutException.class);
        end.complete(null);
    }

    @Test
    void bearsTheLongestWait() {
        rig.takenByAnother(MINUTE);
        CompletableFuture<Lease> future = async(Duration.ofSeconds(Long.MAX_VALUE));
        rig.clock.advance(Duration.ofSeconds(61));
        assertThat(future).isCompleted();
    }

    @Test
    void theDeadlineOfOneInLineDoesNotDependOnTheHeads() {
        rig.wire.onAcquire(step -> {
            rig.hang(Rig.TIMEOUT);
            throw Wire.noAnswer();
        });
        List<CompletableFuture<Lease>> others = new ArrayList<>();
        for (int i = 0; i < 20; i++) { // more than there are threads for heads
            others.add(rig.manager.lock("other " + i).acquireAsync(HOUR));
        }
        CompletableFuture<Lease> future = async(Duration.ofMillis(100));
        rig.clock.advance(Duration.ofMillis(100));
        failsWith(future, LockBackendException.class);
        assertThat(others).noneMatch(CompletableFuture::isDone);
    }

    @Test
    void cancelEndsTheWait() {
        var holder = rig.takenByAnother(HOUR);
        CompletableFuture<Lease> future = async(HOUR);
        CompletableFuture<Lease> next = async(HOUR);
        assertThat(future.cancel(true)).isTrue();
        assertThat(rig.other.release(holder)).isEqualTo(Ownership.HELD);
        rig.clock.advance(Duration.ZERO);
        assertThat(next).isCompleted();
        assertThat(next.join().isHeld()).isTrue();
    }

    @Test
    void whatIsGrantedAfterACancelIsGivenBack() {
        rig.wire.onAcquire(step -> {
            var answer = step.get();
            rig.hang(Duration.ofMillis(5));
            return answer;
        });
        CompletableFuture<Lease> future = rig.lock.acquireAsync(HOUR);
        rig.clock.advance(Duration.ofMillis(1));
        assertThat(rig.holder()).isPresent();
        assertThat(future.cancel(false)).isTrue();
        rig.clock.advance(Duration.ofMillis(5));
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void whatIsHandedOverAfterACancelGoesToTheNext() throws Exception {
        Lease first = rig.held();
        CompletableFuture<Lease> future = async(HOUR);
        CompletableFuture<Lease> next = async(HOUR);
        rig.wire.onHandOver(step -> {
            var answer = step.get();
            future.completeExceptionally(new TimeoutException("as orTimeout does"));
            return answer;
        });
        rig.run(first::release);
        rig.clock.advance(Duration.ZERO);
        failsWith(future, TimeoutException.class);
        assertThat(next.get().isHeld()).isTrue();
    }

    @Test
    void completesOnAThreadOfTheManagerNotOnTheReleasers() throws Exception {
        Lease first = rig.held();
        CompletableFuture<Thread> completer = async(HOUR).thenApply(lease -> Thread.currentThread());
        AtomicReference<Thread> releaser = new AtomicReference<>();
        rig.run(() -> {
            releaser.set(Thread.currentThread());
            return first.release();
        });
        rig.clock.advance(Duration.ZERO);
        assertThat(completer.get()).isNotEqualTo(releaser.get());
        assertThat(completer.get().getName()).startsWith("polylock-completion");
    }

    @Test
    void aStageThatBlocksKeepsNoOtherLockFromItsRenewals() throws Exception {
        List<CompletableFuture<Void>> blocked = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            blocked.add(rig.manager.lock("blocks " + i).acquireAsync(HOUR).thenAccept(lease -> rig.hang(HOUR)));
        }
        Lease lease = rig.held();
        rig.clock.advance(Duration.ofMinutes(5));
        assertThat(blocked).noneMatch(CompletableFuture::isDone);
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void aThousandWaitersNeedFewThreads() {
        rig.takenByAnother(HOUR);
        List<CompletableFuture<Lease>> all = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            all.add(rig.lock.acquireAsync(Duration.ofSeconds(20)));
        }
        rig.clock.advance(Duration.ofSeconds(19));
        long threads = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("polylock-"))
                .count();
        assertThat(threads).isLessThan(20);
        assertThat(rig.wire.acquires).hasSizeLessThan(10);
        rig.clock.advance(Duration.ofSeconds(1));
        rig.clock.advance(Duration.ZERO);
        assertThat(all).allSatisfy(each -> failsWith(each, LockTimeoutException.class));
    }

    @Test
    void reportsWhatAcquireWouldThrow() throws Exception {
        rig.store.setNetwork(Network.REFUSES);
        CompletableFuture<Lease> unreachable = async(Duration.ofSeconds(3));
        rig.clock.advance(Duration.ofSeconds(3));
        rig.clock.advance(Duration.ZERO);
        failsWith(unreachable, LockBackendException.class);
        rig.wire.onAcquire(step -> {
            throw new LockBackendException(Outcome.REFUSED, "no right");
        });
        failsWith(async(HOUR), LockBackendException.class);
        assertThatThrownBy(() -> rig.lock.acquireAsync(Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> rig.lock.withTtl(Duration.ofMillis(50)).acquireAsync(MINUTE))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void closingFailsThoseWhoWaitAtOnce() throws Exception {
        rig.takenByAnother(HOUR);
        CompletableFuture<Lease> first = async(HOUR);
        CompletableFuture<Lease> second = async(HOUR);
        rig.run(() -> {
            rig.manager.close();
            return true;
        });
        failsWith(first, IllegalStateException.class);
        failsWith(second, IllegalStateException.class);
        failsWith(rig.lock.acquireAsync(HOUR), IllegalStateException.class);
    }
}
