// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polylock.spi.LockClock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SystemClockTest {

    private final LockClock clock = LockClock.system();

    @Test
    void aWakeUpThatCameBeforeEndsTheNextWaitAtOnce() throws Exception {
        LockClock.Pause pause = clock.newPause();
        pause.wake();
        pause.await(Duration.ofDays(1));
    }

    @Test
    void wakeUpsDoNotPileUp() throws Exception {
        LockClock.Pause pause = clock.newPause();
        pause.wake();
        pause.wake();
        pause.await(Duration.ofDays(1));
        long start = System.nanoTime();
        pause.await(Duration.ofMillis(20));
        assertThat(System.nanoTime() - start)
                .isGreaterThanOrEqualTo(Duration.ofMillis(20).toNanos());
    }

    @Test
    void anotherThreadWakesALongWait() throws Exception {
        LockClock.Pause pause = clock.newPause();
        Thread waker = new Thread(pause::wake);
        waker.start();
        pause.await(Duration.ofSeconds(Long.MAX_VALUE));
        waker.join();
    }

    @Test
    void zeroAndNegativeDoNotWait() {
        LockClock.Pause pause = clock.newPause();
        assertThatCode(() -> {
                    pause.await(Duration.ZERO);
                    pause.await(Duration.ofSeconds(Long.MIN_VALUE));
                })
                .doesNotThrowAnyException();
    }

    @Test
    void anInterruptEndsAWait() {
        LockClock.Pause pause = clock.newPause();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> pause.await(Duration.ofDays(1))).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void tellsMicrosecondsSince1970() {
        assertThat(Instant.EPOCH.plus(clock.epochMicros(), ChronoUnit.MICROS))
                .isCloseTo(Instant.now(), org.assertj.core.api.Assertions.within(1, ChronoUnit.MINUTES));
    }

    @Test
    void aTimerRunsItsTask() throws Exception {
        try (LockClock.Workers workers = clock.newWorkers("clock-test")) {
            CompletableFuture<String> ran = new CompletableFuture<>();
            LockClock.Scheduled far = workers.after(Duration.ofSeconds(Long.MAX_VALUE), () -> {});
            LockClock.Scheduled near = workers.after(
                    Duration.ofMillis(1),
                    () -> ran.complete(Thread.currentThread().getName()));
            assertThat(ran.get(10, TimeUnit.SECONDS)).isEqualTo("clock-test-timer-1");
            near.cancel();
            far.cancel();
        }
    }

    @Test
    void aTimerDoesNothingAfterTheEnd() {
        LockClock.Workers workers = clock.newWorkers("clock-test");
        workers.close();
        assertThatCode(() -> workers.after(Duration.ZERO, () -> {}).cancel()).doesNotThrowAnyException();
    }
}
