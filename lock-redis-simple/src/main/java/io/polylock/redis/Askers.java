// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Those who want a lock, or want to look at one. They may not use every connection: without some that are kept back, a crowd
 * that waits for one lock would starve the renewals and releases of all others. Thread-safe.
 */
final class Askers {

    private static final int KEPT_BACK = 4;

    private final Semaphore slots;

    private Askers(int slots) {
        this.slots = new Semaphore(slots, true);
    }

    /**
     * Leaves up to four connections, and at most a quarter of them, for renewals and releases.
     *
     * @param connections how many there are at most, negative if there is no limit; of a single one nothing is kept back
     */
    static Askers on(int connections) {
        if (connections < 0) {
            return unlimited();
        }
        int keptBack = Math.min(KEPT_BACK, Math.max(1, connections / 4));
        return new Askers(Math.max(1, connections - keptBack));
    }

    /** Where nobody knows how many connections there are. */
    static Askers unlimited() {
        return new Askers(Integer.MAX_VALUE);
    }

    <T> T ask(Deadline deadline, String place, Supplier<T> request) {
        try {
            if (!slots.tryAcquire() && !slots.tryAcquire(deadline.leftNanos(), TimeUnit.NANOSECONDS)) {
                throw RedisErrors.allInUse(place, null);
            }
        } catch (InterruptedException e) {
            throw RedisErrors.interrupted(place, e);
        }
        try {
            return request.get();
        } finally {
            slots.release();
        }
    }
}
