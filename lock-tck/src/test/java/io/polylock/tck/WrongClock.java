// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import io.polylock.spi.LockClock;

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
}
