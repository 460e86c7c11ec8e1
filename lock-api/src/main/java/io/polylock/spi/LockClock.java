// SPDX-License-Identifier: Apache-2.0
package io.polylock.spi;

import io.polylock.internal.SystemClock;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * The time that a manager lives by, and every way in which it waits. Not for others to implement, tests aside: methods may
 * be added in any version. Applications use {@link #system()}; tests use
 * {@link io.polylock.memory.VirtualClock}, where time moves only when they say so. Thread-safe.
 */
public interface LockClock {

    /** The machine's time. */
    static LockClock system() {
        return SystemClock.INSTANCE;
    }

    /** Nanoseconds of a clock that never goes back; only differences mean anything. */
    long nanoTime();

    /** Microseconds since 1970 by the wall clock. May jump; the engine lets it shorten trust, never extend it. */
    long epochMicros();

    /** A new place for one thread to wait in. */
    Pause newPause();

    /**
     * A new timer with lanes of threads.
     *
     * @param name how its threads are named
     */
    Workers newWorkers(String name);

    /** A place where one thread waits until it is woken or time is up. Not more than one thread may wait at a time. */
    interface Pause {

        /**
         * Waits. A wake-up that came before is not lost: it ends the next wait at once.
         *
         * @param longest how long at most; zero or less does not wait
         * @throws InterruptedException if the thread was interrupted
         */
        void await(Duration longest) throws InterruptedException;

        /** Ends the wait, or the next one. */
        void wake();
    }

    /** A task that waits for its time. */
    @FunctionalInterface
    interface Scheduled {

        /** Makes sure that the task does not start from now on. */
        void cancel();
    }

    /** A timer and lanes of daemon threads. No thread exists before it is needed. */
    interface Workers extends AutoCloseable {

        /**
         * Runs a task later, on the timer's thread. It must not block. Does nothing after {@link #close()}.
         *
         * @param delay when; zero or less is at once
         * @param task must not throw
         */
        Scheduled after(Duration delay, Runnable task);

        /**
         * A lane: runs tasks in order on a few threads of its own. Rejects tasks after {@link #close()}.
         *
         * @param name what it is for
         * @param threads how many at most
         */
        Executor lane(String name, int threads);

        /** Drops what is scheduled, lets the lanes finish what they have for a second, then interrupts them. */
        @Override
        void close();
    }
}
