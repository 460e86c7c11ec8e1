// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.spi.LockClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;

/** The right to have the one request of a lease that may be on its way. Thread-safe. */
final class Turn {

    private final LockClock clock;
    private final Queue<LockClock.Pause> waiting = new ArrayDeque<>();
    private boolean taken;

    Turn(LockClock clock) {
        this.clock = clock;
    }

    synchronized boolean tryTake() {
        if (taken) {
            return false;
        }
        taken = true;
        return true;
    }

    /** Waits for the turn; false if it did not come in time. */
    boolean take(Duration longest) throws InterruptedException {
        long start = clock.nanoTime();
        LockClock.Pause pause = clock.newPause();
        synchronized (this) {
            waiting.add(pause);
        }
        try {
            while (!tryTake()) {
                long left = longest.toNanos() - (clock.nanoTime() - start);
                if (left <= 0) {
                    return false;
                }
                pause.await(Duration.ofNanos(left));
            }
            return true;
        } finally {
            synchronized (this) {
                waiting.remove(pause);
            }
        }
    }

    synchronized void giveBack() {
        taken = false;
        waiting.forEach(LockClock.Pause::wake);
    }
}
