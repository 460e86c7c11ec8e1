// SPDX-License-Identifier: Apache-2.0
package io.polylock.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polylock.spi.LockClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class VirtualClockTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

    private final VirtualClock clock = new VirtualClock();

    @AutoClose
    private final LockClock.Workers workers = clock.newWorkers("virtual-clock-test");

    private final List<String> events = new CopyOnWriteArrayList<>();

    private Runnable event(String name) {
        return () -> events.add(name + " at " + Duration.ofNanos(clock.nanoTime()));
    }

    @Test
    void standsStill() {
        assertThat(clock.nanoTime()).isEqualTo(clock.nanoTime());
    }

    @Test
    void movesBothClocks() {
        long before = clock.epochMicros();
        clock.advance(SECOND);
        assertThat(clock.nanoTime()).isEqualTo(SECOND.toNanos());
        assertThat(clock.epochMicros() - before).isEqualTo(1_000_000);
    }

    @Test
    void movesTheWallClockAlone() {
        long before = clock.epochMicros();
        clock.moveWallClock(SECOND.negated());
        assertThat(clock.nanoTime()).isZero();
        assertThat(clock.epochMicros() - before).isEqualTo(-1_000_000);
    }

    @Test
    void doesNotGoBack() {
        assertThatThrownBy(() -> clock.advance(SECOND.negated())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void stopsAtTheEndOfTime() {
        clock.advance(FOR_EVER);
        clock.advance(FOR_EVER);
        assertThat(clock.nanoTime()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void runsEventsInTheOrderOfTheirTimes() {
        workers.after(Duration.ofSeconds(2), event("late"));
        workers.after(SECOND, event("early"));
        workers.after(SECOND, event("early too"));
        workers.after(FOR_EVER, event("never"));
        clock.advance(Duration.ofSeconds(5));
        assertThat(events).containsExactly("early at PT1S", "early too at PT1S", "late at PT2S");
    }

    @Test
    void runsWhatAnEventSchedulesAtItsTime() {
        workers.after(SECOND, () -> workers.after(SECOND, event("second")));
        clock.advance(Duration.ofSeconds(3));
        assertThat(events).containsExactly("second at PT2S");
    }

    @Test
    void doesNotRunWhatWasCancelled() {
        workers.after(SECOND, event("cancelled")).cancel();
        clock.advance(SECOND);
        assertThat(events).isEmpty();
    }

    @Test
    void waitsForTheLanesBeforeItGoesOn() {
        var lane = workers.lane("lane", 1);
        workers.after(SECOND, () -> lane.execute(event("of the lane")));
        workers.after(SECOND.plusNanos(1), event("next"));
        clock.advance(Duration.ofSeconds(2));
        assertThat(events).containsExactly("of the lane at PT1S", "next at PT1.000000001S");
    }

    @Test
    void aTaskThatWaitsForAThreadThatRestsDoesNotStopTheTime() {
        var lane = workers.lane("lane", 1);
        lane.execute(() -> {
            Thread.currentThread().setUncaughtExceptionHandler((thread, e) -> events.add(e.getMessage()));
            try {
                pausedFor(SECOND);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            throw new IllegalStateException("of the task");
        });
        lane.execute(event("second"));
        lane.execute(event("third"));
        workers.after(SECOND.plusNanos(1), event("next"));
        clock.advance(Duration.ofSeconds(2));
        assertThat(events).containsExactly("of the task", "second at PT1S", "third at PT1S", "next at PT1.000000001S");
        lane.execute(event("fourth"));
        clock.advance(Duration.ZERO);
        assertThat(events).hasSize(5).last().isEqualTo("fourth at PT2S");
    }

    @Test
    void aPauseEndsAtItsTime() throws Exception {
        assertThat(clock.join(clock.fork(() -> pausedFor(SECOND)), Duration.ofDays(1)))
                .isEqualTo(SECOND);
        assertThat(clock.nanoTime()).isEqualTo(SECOND.toNanos());
    }

    private Duration pausedFor(Duration longest) throws InterruptedException {
        clock.newPause().await(longest);
        return Duration.ofNanos(clock.nanoTime());
    }

    @Test
    void aWakeUpEndsAPauseAtOnce() throws Exception {
        LockClock.Pause pause = clock.newPause();
        var woken = clock.fork(() -> {
            pause.await(FOR_EVER);
            return clock.nanoTime();
        });
        workers.after(SECOND, pause::wake);
        assertThat(clock.join(woken, Duration.ofDays(1))).isEqualTo(SECOND.toNanos());
    }

    @Test
    void aWakeUpThatCameBeforeIsNotLost() throws Exception {
        LockClock.Pause pause = clock.newPause();
        pause.wake();
        pause.await(FOR_EVER);
        assertThat(clock.nanoTime()).isZero();
    }

    @Test
    void aWakeUpCountsOnce() throws Exception {
        LockClock.Pause pause = clock.newPause();
        pause.wake();
        pause.wake();
        pause.await(FOR_EVER);
        var second = clock.fork(() -> {
            pause.await(SECOND);
            return clock.nanoTime();
        });
        assertThat(clock.join(second, Duration.ofDays(1))).isEqualTo(SECOND.toNanos());
    }

    @Test
    void anInterruptEndsAPause() {
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        var pausing = clock.fork(() -> {
            thread.complete(Thread.currentThread());
            return pausedFor(FOR_EVER);
        });
        clock.advance(SECOND);
        clock.interrupt(thread.join());
        clock.advance(SECOND);
        assertThatThrownBy(pausing::join).hasCauseInstanceOf(InterruptedException.class);
    }

    @Test
    void manyThreadsPassAWakeUpOnInOneInstant() throws Exception {
        int threads = 50;
        List<LockClock.Pause> pauses = new CopyOnWriteArrayList<>();
        for (int i = 0; i <= threads; i++) {
            pauses.add(clock.newPause());
        }
        CompletableFuture<Long> last = new CompletableFuture<>();
        for (int i = 0; i < threads; i++) {
            int me = i;
            last = clock.fork(() -> {
                pauses.get(me).await(FOR_EVER);
                pauses.get(me + 1).wake();
                return clock.nanoTime();
            });
        }
        workers.after(SECOND, pauses.get(0)::wake);
        assertThat(clock.join(last, FOR_EVER)).isEqualTo(SECOND.toNanos());
    }

    @Test
    void joinThrowsWhatTheThreadThrew() {
        var failing = clock.fork(() -> {
            throw new IllegalStateException("of the thread");
        });
        assertThatThrownBy(() -> clock.join(failing, SECOND))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("of the thread");
    }

    @Test
    void joinGivesUp() {
        var stuck = clock.fork(() -> pausedFor(Duration.ofSeconds(3)));
        assertThatThrownBy(() -> clock.join(stuck, Duration.ofSeconds(2))).isInstanceOf(TimeoutException.class);
        assertThat(clock.nanoTime()).isEqualTo(Duration.ofSeconds(2).toNanos());
    }

    @Test
    void aThreadThatTheClockWaitsForCannotMoveIt() {
        var mover = clock.fork(() -> {
            clock.advance(SECOND);
            return true;
        });
        assertThatThrownBy(() -> clock.join(mover, SECOND)).hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void workersDoNothingAfterTheirEnd() {
        var lane = workers.lane("lane", 1);
        workers.after(SECOND, event("scheduled before"));
        workers.close();
        workers.after(SECOND, event("scheduled after"));
        clock.advance(SECOND);
        assertThat(events).isEmpty();
        assertThatThrownBy(() -> lane.execute(event("executed"))).isInstanceOf(RejectedExecutionException.class);
        clock.advance(SECOND);
    }
}
