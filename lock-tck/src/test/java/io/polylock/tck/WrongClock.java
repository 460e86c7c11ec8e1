// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import io.polylock.spi.LockClock;
import java.time.Duration;
import java.util.concurrent.Executor;

/** A clock that passes everything on; a mutant overrides what it gets wrong. */
class WrongClock implements LockClock {

    final LockClock correct;

    WrongClock(LockClock correct) {
        this.correct = correct;
    }

    @Override
    public long nanoTime() {
        return correct.nanoTime();
    }

    @Override
    public long epochMicros() {
        return correct.epochMicros();
    }

    @Override
    public Pause newPause() {
        return correct.newPause();
    }

    @Override
    public Workers newWorkers(String name) {
        return correct.newWorkers(name);
    }

    /** A pause that passes everything on. */
    static class WrongPause implements Pause {

        final Pause correct;

        WrongPause(Pause correct) {
            this.correct = correct;
        }

        @Override
        public void await(Duration longest) throws InterruptedException {
            correct.await(longest);
        }

        @Override
        public void wake() {
            correct.wake();
        }
    }

    /** Workers that pass everything on. */
    static class WrongWorkers implements Workers {

        final Workers correct;

        WrongWorkers(Workers correct) {
            this.correct = correct;
        }

        @Override
        public Scheduled after(Duration delay, Runnable task) {
            return correct.after(delay, task);
        }

        @Override
        public Executor lane(String name, int threads) {
            return correct.lane(name, threads);
        }

        @Override
        public void close() {
            correct.close();
        }
    }
}
