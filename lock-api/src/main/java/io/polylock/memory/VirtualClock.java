// SPDX-License-Identifier: Apache-2.0
package io.polylock.memory;

import io.polylock.internal.Checks;
import io.polylock.internal.Lanes;
import io.polylock.spi.LockClock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Time that moves only when a test says so. {@link #advance} goes from event to event and lets everything that an event sets
 * off come to rest before it goes on, so that a test of hours takes milliseconds and does not depend on how fast the machine
 * is. Threads of a test that wait for locks must be started with {@link #fork}, so that the clock knows when they rest.
 * Thread-safe.
 */
public final class VirtualClock implements LockClock {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /* One lock guards all. `running` counts the threads and tasks that are known and not at rest: forked threads outside a
     * pause, and tasks of lanes from when a thread is theirs to their end. Time stands still while it is above zero. */
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final ThreadLocal<Boolean> counted = ThreadLocal.withInitial(() -> false);
    private final Lanes forks = new Lanes("virtual-clock");
    private final Executor forkLane = forks.open("fork", Integer.MAX_VALUE);
    private final Map<Thread, VirtualPause> resting = new HashMap<>();
    private long now;
    private long wallSkewMicros;
    private long sequence;
    private int running;

    private record Event(long at, long sequence, Runnable task) implements Comparable<Event> {

        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(sequence, other.sequence);
        }
    }

    /** A clock that stands still, at the beginning of 2026. */
    public VirtualClock() {}

    @Override
    public long nanoTime() {
        return locked(() -> now);
    }

    @Override
    public long epochMicros() {
        return locked(() -> ChronoUnit.MICROS.between(Instant.EPOCH, START) + now / 1_000 + wallSkewMicros);
    }

    /**
     * Lets time pass, with all that happens meanwhile.
     *
     * @param duration how long: not negative
     * @throws IllegalStateException if a thread did not come to rest within 30 real seconds
     */
    public void advance(Duration duration) {
        advanceUntil(new CompletableFuture<>(), duration);
    }

    /**
     * Lets time pass until something is done, but not longer than a bound.
     *
     * @param done what to wait for
     * @param longest how long at most: not negative
     * @return whether it is done
     * @throws IllegalStateException if a thread did not come to rest within 30 real seconds, or if the caller is a thread
     *     that the clock waits for
     */
    public boolean advanceUntil(CompletableFuture<?> done, Duration longest) {
        if (longest.isNegative()) {
            throw new IllegalArgumentException("time cannot go back by " + longest);
        }
        if (counted.get()) {
            throw new IllegalStateException("a thread that the clock waits for cannot move it");
        }
        long target = locked(() -> now + Math.min(Checks.saturatedNanos(longest), Long.MAX_VALUE - now));
        while (true) {
            Event next;
            lock.lock();
            try {
                awaitRest();
                if (done.isDone()) {
                    return true;
                }
                Event head = events.peek();
                if (head == null || head.at > target) {
                    now = Math.max(now, target);
                    return false;
                }
                next = events.remove();
                now = Math.max(now, next.at);
            } finally {
                lock.unlock();
            }
            next.task.run();
        }
    }

    /**
     * Lets time pass for the calling thread: one that the clock knows rests, any other moves the clock.
     *
     * @param duration how long: not negative
     * @throws InterruptedException if the thread was interrupted while it rested
     */
    public void pass(Duration duration) throws InterruptedException {
        if (counted.get()) {
            newPause().await(duration);
        } else {
            advance(duration);
        }
    }

    /**
     * Moves the wall clock alone, as an operator or a machine's sleep does.
     *
     * @param offset how far, forward or back
     */
    public void moveWallClock(Duration offset) {
        locked(() -> wallSkewMicros += offset.toNanos() / 1_000);
    }

    /**
     * Starts a thread that the clock knows.
     *
     * @param work what it does
     * @param <T> what it returns
     * @return completes with its result or its exception
     */
    public <T> CompletableFuture<T> fork(Callable<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        runCounted(forkLane, () -> {
            try {
                result.complete(work.call());
            } catch (Throwable failure) {
                result.completeExceptionally(failure);
            }
        });
        return result;
    }

    /**
     * The result of a thread that {@link #fork} started, letting time pass until it is there.
     *
     * @param future what {@link #fork} returned
     * @param longest how long at most
     * @param <T> the result
     * @return the result
     * @throws ExecutionException if the thread ended by an exception
     * @throws TimeoutException if it was not done in time
     */
    public <T> T join(CompletableFuture<T> future, Duration longest) throws ExecutionException, TimeoutException {
        if (!advanceUntil(future, longest)) {
            throw new TimeoutException("not done within " + longest);
        }
        try {
            return future.get(0, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TimeoutException("interrupted");
        }
    }

    /**
     * Interrupts a thread so that time stands still until it has reacted.
     *
     * @param thread a thread that {@link #fork} started
     */
    public void interrupt(Thread thread) {
        lock.lock();
        try {
            stir(thread);
            thread.interrupt();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Pause newPause() {
        return new VirtualPause();
    }

    @Override
    public Workers newWorkers(String name) {
        return new VirtualWorkers(name);
    }

    private void awaitRest() {
        long patience = PATIENCE.toNanos();
        while (running > 0) {
            try {
                patience = changed.awaitNanos(patience);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while waiting for " + running + " threads to rest", e);
            }
            if (patience <= 0) {
                throw new IllegalStateException(running + " threads did not come to rest within " + PATIENCE);
            }
        }
    }

    private void count(int change) {
        lock.lock();
        try {
            running += change;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private <T> T locked(Supplier<T> read) {
        lock.lock();
        try {
            return read.get();
        } finally {
            lock.unlock();
        }
    }

    private Event schedule(Duration delay, Runnable task) {
        return locked(() -> {
            long wait = Math.min(Math.max(0, Checks.saturatedNanos(delay)), Long.MAX_VALUE - now);
            Event event = new Event(now + wait, sequence++, task);
            events.add(event);
            return event;
        });
    }

    private void runCounted(Executor executor, Runnable task) {
        count(1);
        try {
            executor.execute(() -> {
                counted.set(true);
                try {
                    task.run();
                } finally {
                    counted.remove();
                    count(-1);
                }
            });
        } catch (RuntimeException rejected) {
            count(-1);
            throw rejected;
        }
    }

    private final class VirtualPause implements Pause {

        private final Condition woken = lock.newCondition();
        private boolean wakeUp;

        @Override
        public void await(Duration longest) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                if (wakeUp || longest.isNegative() || longest.isZero()) {
                    wakeUp = false;
                    return;
                }
                Event timeout = schedule(longest, this::wake);
                rest();
                try {
                    while (!wakeUp) {
                        woken.await();
                    }
                } finally {
                    stir(Thread.currentThread());
                    events.remove(timeout);
                    wakeUp = false;
                }
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void wake() {
            lock.lock();
            try {
                wakeUp = true;
                // counted from here on, not from when the thread gets the processor
                resting.entrySet().stream()
                        .filter(entry -> entry.getValue() == this)
                        .map(Map.Entry::getKey)
                        .findFirst()
                        .ifPresent(VirtualClock.this::stir);
                woken.signalAll();
            } finally {
                lock.unlock();
            }
        }

        private void rest() {
            if (counted.get()) {
                resting.put(Thread.currentThread(), this);
                running--;
                changed.signalAll();
            }
        }
    }

    private void stir(Thread thread) {
        if (resting.remove(thread) != null) {
            running++;
        }
    }

    private final class VirtualWorkers implements Workers {

        private final Lanes lanes;
        private final List<VirtualLane> open = new CopyOnWriteArrayList<>();
        private volatile boolean closed;

        VirtualWorkers(String name) {
            lanes = new Lanes(name);
        }

        @Override
        public Scheduled after(Duration delay, Runnable task) {
            Event event = schedule(delay, () -> {
                if (!closed) {
                    task.run();
                }
            });
            return () -> locked(() -> events.remove(event));
        }

        @Override
        public Executor lane(String name, int threads) {
            VirtualLane lane = new VirtualLane(lanes.open(name, threads), threads);
            open.add(lane);
            return lane;
        }

        @Override
        public void close() {
            closed = true;
            count(-lanes.close().size()); // what never started never ends
            open.forEach(VirtualLane::forgetWaiting);
        }

        /** Keeps back what has no thread yet: as long as all threads rest, it must not stop the time that ends their rest. */
        private final class VirtualLane implements Executor {

            private final Executor pool;
            private final Queue<Runnable> waiting = new ArrayDeque<>();
            private int free;

            VirtualLane(Executor pool, int threads) {
                this.pool = pool;
                this.free = threads;
            }

            @Override
            public void execute(Runnable task) {
                synchronized (this) {
                    if (closed) {
                        throw new RejectedExecutionException("the lane is closed");
                    }
                    if (free == 0) {
                        waiting.add(task);
                        return;
                    }
                    free--;
                }
                try {
                    runCounted(pool, () -> runAll(task));
                } catch (RuntimeException | Error noThread) {
                    endThread();
                    throw noThread;
                }
            }

            private void runAll(Runnable first) {
                for (Runnable task = first; task != null; task = nextOrEnd()) {
                    try {
                        task.run();
                    } catch (RuntimeException | Error e) {
                        Thread thread = Thread.currentThread();
                        thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
                    }
                }
            }

            private synchronized @Nullable Runnable nextOrEnd() {
                Runnable next = waiting.poll();
                if (next == null) {
                    free++;
                }
                return next;
            }

            private synchronized void endThread() {
                free++;
            }

            private synchronized void forgetWaiting() {
                waiting.clear();
            }
        }
    }
}
