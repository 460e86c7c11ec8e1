// SPDX-License-Identifier: Apache-2.0
package io.polylock.explore;

import io.polylock.internal.Checks;
import io.polylock.spi.LockClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** The time and the threads of one manager, in the hands of a schedule. Behaves as the machine's clock does. */
final class ScheduleClock implements LockClock {

    private static final long EPOCH_MICROS = TimeUnit.DAYS.toMicros(20_454);
    private static final long FINISH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final List<Way> WAKES = List.of(Way.free("wakes up"));
    private static final List<Way> ENDS_CLOSING = List.of(Way.free("goes on closing"));

    private final Schedule schedule;
    private final String owner;
    private final long territory;

    ScheduleClock(Schedule schedule, String owner, long territory) {
        this.schedule = schedule;
        this.owner = owner;
        this.territory = territory;
    }

    @Override
    public long nanoTime() {
        return schedule.now();
    }

    @Override
    public long epochMicros() {
        return EPOCH_MICROS + schedule.now() / 1_000;
    }

    @Override
    public Pause newPause() {
        return new ScheduledPause();
    }

    @Override
    public Workers newWorkers(String name) {
        return new ScheduledWorkers();
    }

    /** A place in the engine's own computing where others may go on. */
    private void computes() {
        schedule.point(Schedule.Point.COMPUTES);
        schedule.touch(territory);
    }

    private final class ScheduledPause implements Pause {

        private boolean wakeUp;
        private Strand waiting;

        @Override
        public void await(Duration longest) throws InterruptedException {
            computes();
            failIfInterrupted();
            if (!wakeUp && !longest.isNegative() && !longest.isZero()) {
                Strand self = schedule.current();
                waiting = self;
                Schedule.Event timeout = schedule.at(Checks.saturatedNanos(longest), self::unblock);
                try {
                    schedule.blockUntilInterrupted(WAKES);
                } finally {
                    schedule.touch(territory);
                    waiting = null;
                    schedule.cancel(timeout);
                }
                failIfInterrupted();
            }
            wakeUp = false;
        }

        @Override
        public void wake() {
            wakeUp = true;
            if (waiting != null) {
                waiting.unblock();
            }
        }

        private void failIfInterrupted() throws InterruptedException {
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted in a pause");
            }
        }
    }

    private final class ScheduledWorkers implements Workers {

        private final Deque<TimerTask> due = new ArrayDeque<>();
        private final List<TimerTask> planned = new ArrayList<>();
        private final List<Lane> lanes = new ArrayList<>();
        private TimerTask running;
        private int timerRuns;
        private boolean closed;

        private final class TimerTask implements Scheduled {
            private final Runnable task;
            private Schedule.Event event;
            private Strand strand;

            TimerTask(Runnable task) {
                this.task = task;
            }

            @Override
            public void cancel() {
                schedule.cancel(event);
                planned.remove(this);
                due.remove(this);
                if (running == this && schedule.drop(strand)) {
                    running = null;
                    runNext();
                }
            }
        }

        @Override
        public Scheduled after(Duration delay, Runnable task) {
            if (closed || schedule.aborting()) {
                return () -> {};
            }
            TimerTask planning = new TimerTask(task);
            planned.add(planning);
            planning.event = schedule.at(Checks.saturatedNanos(delay), () -> {
                planned.remove(planning);
                due.add(planning);
                runNext();
            });
            return planning;
        }

        private void runNext() {
            if (running == null && !due.isEmpty()) {
                TimerTask next = due.remove();
                running = next;
                next.strand = schedule.start(owner + " timer#" + ++timerRuns, () -> {
                    schedule.touch(territory);
                    try {
                        next.task.run();
                    } finally {
                        running = null;
                        runNext();
                    }
                });
            }
        }

        @Override
        public Executor lane(String name, int threads) {
            Lane lane = new Lane(owner + " " + name, threads);
            lanes.add(lane);
            return lane;
        }

        @Override
        public void close() {
            computes();
            closed = true;
            planned.forEach(task -> schedule.cancel(task.event));
            planned.clear();
            due.clear();
            if (running != null && !schedule.drop(running.strand)) {
                running.strand.interrupt();
            }
            lanes.forEach(lane -> lane.shut = true);
            boolean interrupted = Thread.interrupted();
            for (Lane lane : lanes) {
                if (interrupted || !lane.awaitIdle()) {
                    break;
                }
                interrupted = Thread.interrupted();
            }
            lanes.forEach(Lane::stop);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Tasks in order on a few threads. */
    private final class Lane implements Executor {

        private final String name;
        private final int threads;
        private final Deque<Runnable> queue = new ArrayDeque<>();
        private final List<Strand> running = new ArrayList<>();
        private Strand closer;
        private int tasks;
        private boolean shut;

        Lane(String name, int threads) {
            this.name = name;
            this.threads = threads;
        }

        @Override
        public void execute(Runnable task) {
            if (shut) {
                throw new RejectedExecutionException(name + " is closed");
            }
            if (schedule.aborting()) {
                return;
            }
            queue.add(task);
            runNext();
            computes();
        }

        private void runNext() {
            if (running.size() < threads && !queue.isEmpty()) {
                Runnable task = queue.remove();
                Strand[] self = new Strand[1];
                self[0] = schedule.start(name + "#" + ++tasks, () -> {
                    schedule.touch(territory);
                    try {
                        task.run();
                    } finally {
                        running.remove(self[0]);
                        runNext();
                        if (closer != null && idle()) {
                            closer.unblock();
                        }
                    }
                });
                running.add(self[0]);
            }
        }

        private boolean idle() {
            return running.isEmpty() && queue.isEmpty();
        }

        /** Whether all tasks have finished in time. */
        private boolean awaitIdle() {
            if (!idle()) {
                closer = schedule.current();
                Schedule.Event timeout = schedule.at(FINISH_NANOS, closer::unblock);
                try {
                    schedule.blockUntilInterrupted(ENDS_CLOSING);
                } finally {
                    schedule.touch(territory);
                    schedule.cancel(timeout);
                    closer = null;
                }
            }
            return idle();
        }

        private void stop() {
            queue.clear();
            running.forEach(Strand::interrupt);
        }
    }
}
