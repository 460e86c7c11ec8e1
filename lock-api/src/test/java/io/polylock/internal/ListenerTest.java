// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.sun.management.ThreadMXBean;
import io.polylock.Lease;
import io.polylock.LockEvent;
import io.polylock.LockEvent.WokenBy;
import io.polylock.LockListener;
import io.polylock.LockManager;
import io.polylock.LossCause;
import io.polylock.ManagerOptions;
import io.polylock.ReleaseOutcome;
import io.polylock.memory.MemoryLockBackend;
import io.polylock.spi.LockClock;
import io.polylock.spi.LockName;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a listener cannot do to anybody. */
@Timeout(60)
class ListenerTest {

    private static final LockName NAME = new LockName(Rig.NAME);

    private final Heard heard = new Heard();

    /** Throws at everything that it hears of leases. */
    private record Thrower(Throwable failure, AtomicInteger calls) implements LockListener {

        @Override
        public void acquired(LockEvent.Acquired event) {
            fail();
        }

        @Override
        public void released(LockEvent.Released event) {
            fail();
        }

        private void fail() {
            calls.incrementAndGet();
            Thrower.<RuntimeException>sneak(failure);
        }

        @SuppressWarnings("unchecked")
        private static <T extends Throwable> void sneak(Throwable failure) throws T {
            throw (T) failure;
        }
    }

    static List<Throwable> failures() {
        return List.of(new IllegalStateException("a"), new StackOverflowError("b"), new Exception("c"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void oneThatThrowsIsLoggedAndHarmsNobody(Throwable failure) {
        Thrower thrower = new Thrower(failure, new AtomicInteger());
        try (LogLines log = new LogLines();
                Rig rig = new Rig(thrower, heard)) {
            rig.held().close();
            rig.held().close();
            rig.clock.advance(Duration.ZERO);
            assertThat(heard.events).hasSize(4);
            assertThat(thrower.calls()).hasValue(4);
            assertThat(log.causes()).hasSize(4).containsOnly(failure);
        }
    }

    @Test
    void oneThatHangsHoldsUpNeitherTheLockNorAnother() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        CountDownLatch bothHeard = new CountDownLatch(2);
        LockListener hanging = new LockListener() {
            @Override
            public void acquired(LockEvent.Acquired event) {
                try {
                    interrupted.complete(never.await(50, TimeUnit.SECONDS));
                } catch (InterruptedException e) {
                    interrupted.complete(true);
                }
            }
        };
        LockListener counting = new LockListener() {
            @Override
            public void acquired(LockEvent.Acquired event) {
                bothHeard.countDown();
            }
        };
        ManagerOptions options = ManagerOptions.DEFAULTS.withListener(hanging).withListener(counting);
        LockManager locks = LockManager.of(MemoryLockBackend.create(), options);
        for (int i = 0; i < 2; i++) {
            locks.lock("hanging").tryAcquire().orElseThrow().close();
        }
        assertThat(bothHeard.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(interrupted).isNotDone();
        long start = System.nanoTime();
        locks.close();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
        assertThat(interrupted.get(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void hearsInOrderOnOneDaemonThreadThatIsNotTheCallers() throws Exception {
        CompletableFuture<Thread> caller = new CompletableFuture<>();
        try (Rig rig = new Rig(heard)) {
            rig.run(() -> {
                caller.complete(Thread.currentThread());
                for (int i = 0; i < 300; i++) {
                    rig.manager.lock("lock " + i).tryAcquire().ifPresent(Lease::close);
                }
                return true;
            });
            rig.clock.advance(Duration.ZERO);
        }
        assertThat(heard.events)
                .extracting(event -> event.getClass().getSimpleName() + " " + event.lockName())
                .containsExactlyElementsOf(IntStream.range(0, 300)
                        .boxed()
                        .flatMap(i -> List.of("Acquired lock " + i, "Released lock " + i).stream())
                        .toList());
        assertThat(heard.threads)
                .doesNotContain(Thread.currentThread(), caller.join())
                .singleElement()
                .satisfies(thread -> {
                    assertThat(thread.isDaemon()).isTrue();
                    assertThat(thread.getName()).startsWith("polylock-listener-");
                });
    }

    @Test
    void hearsAgainAfterItWasTooFarBehindAndTheLogSaysOnceHowMuchItMissed() {
        Queue<Runnable> thread = new ArrayDeque<>();
        ListenerLane lane = new ListenerLane(heard, thread::add);
        try (LogLines log = new LogLines()) {
            for (int episode = 1; episode <= 2; episode++) {
                tell(lane, ListenerLane.CAPACITY + 6);
                assertThat(thread).hasSize(ListenerLane.CAPACITY);
                thread.remove().run();
                tell(lane, 2); // one has a place again, one has not
                assertThat(log.lines()).hasSize(episode - 1);
                while (!thread.isEmpty()) {
                    thread.remove().run();
                }
                assertThat(heard.events).hasSize(episode * (ListenerLane.CAPACITY + 1));
                assertThat(log.lines()).hasSize(episode).last().asString().startsWith("7 events were dropped");
            }
            lane.close();
            assertThat(log.lines()).hasSize(2);
        }
    }

    @Test
    void whatAListenerMissedThatNeverCaughtUpIsLoggedAtTheEnd() {
        ListenerLane lane = new ListenerLane(heard, task -> {});
        try (LogLines log = new LogLines()) {
            tell(lane, ListenerLane.CAPACITY + 3);
            assertThat(log.lines()).isEmpty();
            lane.close();
            assertThat(log.lines()).singleElement().asString().startsWith("3 events were dropped");
        }
    }

    @Test
    void anEventForWhichThereIsNoThreadIsDroppedAndHarmsNobody() {
        ListenerLane lane = new ListenerLane(heard, task -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
        try (LogLines log = new LogLines()) {
            assertThatCode(() -> tell(lane, 1)).doesNotThrowAnyException();
            assertThat(log.lines()).singleElement().asString().startsWith("1 events were dropped");
        }
    }

    private static void tell(ListenerLane lane, int events) {
        for (int i = 0; i < events; i++) {
            lane.tell(listener -> listener.signalGap(new LockEvent.SignalGap(Rig.NAME)));
        }
    }

    @Test
    void hasNoThreadBeforeItHears() {
        Set<Thread> before = Set.copyOf(Thread.getAllStackTraces().keySet());
        Observers observers = Observers.of(List.of(heard), LockClock.system());
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> !before.contains(thread))
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("polylock-"));
        observers.close();
    }

    @Test
    void whereNobodyListensNothingIsAllocated() {
        Observers observers = Observers.of(List.of(), LockClock.system());
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        OptionalLong token = OptionalLong.of(42);
        tellAll(observers, token, 1_000);
        long before = threads.getCurrentThreadAllocatedBytes();
        tellAll(observers, token, 10_000);
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(10_000);
    }

    private static void tellAll(Observers observers, OptionalLong token, int times) {
        for (int i = 0; i < times; i++) {
            observers.acquired(NAME, i, WokenBy.POLL, token);
            observers.contended(NAME, Optional.empty());
            observers.timedOut(NAME, i);
            observers.renewed(NAME, i);
            observers.lost(NAME, LossCause.TAKEN, i);
            observers.released(NAME, ReleaseOutcome.RELEASED, i);
            observers.undo(NAME, LockEvent.UndoStep.DONE);
            observers.signalGap(NAME);
        }
    }

    @Test
    void optionsKeepTheListenersThatTheyHave() {
        ManagerOptions one = ManagerOptions.DEFAULTS.withListener(heard);
        Heard second = new Heard();
        assertThat(one.withListener(second).withLabel("x").listeners()).containsExactly(heard, second);
        assertThat(ManagerOptions.DEFAULTS.listeners()).isEmpty();
        assertThat(one).isEqualTo(ManagerOptions.DEFAULTS.withListener(heard)).isNotEqualTo(ManagerOptions.DEFAULTS);
    }
}
