// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck.search;

import io.polylock.spi.LockClock;

/** Time that a search sets, also back, when it returns to an earlier state. Nobody waits by it. */
final class SearchClock implements LockClock {

    /** What the clock shows at first, in microseconds since 1970. */
    static final long START = 1_000_000_000_000L;

    private long elapsedMicros;

    void set(long micros) {
        elapsedMicros = micros;
    }

    @Override
    public long nanoTime() {
        return elapsedMicros * 1_000;
    }

    @Override
    public long epochMicros() {
        return START + elapsedMicros;
    }

    @Override
    public Pause newPause() {
        throw new UnsupportedOperationException("nobody waits in a search");
    }

    @Override
    public Workers newWorkers(String name) {
        throw new UnsupportedOperationException("nobody works in the background of a search");
    }
}
