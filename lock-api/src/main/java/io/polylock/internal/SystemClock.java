// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.spi.LockClock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** The machine's time. Thread-safe. */
public final class SystemClock implements LockClock {

    public static final LockClock INSTANCE = new SystemClock();

    private SystemClock() {}

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public long epochMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    @Override
    public Pause newPause() {
        return new SemaphorePause();
    }

    @Override
    public Workers newWorkers(String name) {
        return new ThreadWorkers(name);
    }

    private static final class SemaphorePause implements Pause {

        private final Semaphore wakeUps = new Semaphore(0);

        @Override
        public void await(Duration longest) throws InterruptedException {
            if (wakeUps.tryAcquire(Math.max(0, Checks.saturatedNanos(longest)), TimeUnit.NANOSECONDS)) {
                wakeUps.drainPermits();
            }
        }

        @Override
        public void wake() {
            wakeUps.drainPermits(); // else 2^31 calls without a wait end in an Error
            wakeUps.release();
        }
    }

    private static final class ThreadWorkers implements Workers {

        private static final long IDLE_SECONDS = 5;

        private final ScheduledThreadPoolExecutor timer;
        private final Lanes lanes;

        ThreadWorkers(String name) {
            lanes = new Lanes(name);
            timer = new ScheduledThreadPoolExecutor(1, Lanes.threads(name + "-timer"));
            timer.setRemoveOnCancelPolicy(true);
            timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
            timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
            timer.allowCoreThreadTimeOut(true);
        }

        @Override
        public Scheduled after(Duration delay, Runnable task) {
            try {
                Future<?> scheduled = timer.schedule(task, Checks.saturatedNanos(delay), TimeUnit.NANOSECONDS);
                return () -> scheduled.cancel(false);
            } catch (RejectedExecutionException closed) {
                return () -> {};
            }
        }

        @Override
        public Executor lane(String name, int threads) {
            return lanes.open(name, threads);
        }

        @Override
        @SuppressWarnings("ReturnValueIgnored") // the records of what was asked end with their TTL
        public void close() {
            timer.shutdownNow();
            lanes.close();
        }
    }
}
