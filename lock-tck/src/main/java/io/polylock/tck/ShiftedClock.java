// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import io.polylock.spi.LockClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A real clock whose wall time the kit can move, as an operator or a machine's sleep does. Thread-safe. */
final class ShiftedClock implements LockClock {

    private final LockClock real;
    private final AtomicLong offsetMicros = new AtomicLong();

    ShiftedClock(LockClock real) {
        this.real = real;
    }

    void moveWallClock(Duration offset) {
        offsetMicros.addAndGet(offset.toNanos() / 1_000);
    }

    @Override
    public long nanoTime() {
        return real.nanoTime();
    }

    @Override
    public long epochMicros() {
        return real.epochMicros() + offsetMicros.get();
    }

    @Override
    public Pause newPause() {
        return real.newPause();
    }

    @Override
    public Workers newWorkers(String name) {
        return real.newWorkers(name);
    }
}
