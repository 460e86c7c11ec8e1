// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import io.polylock.spi.LockBackend;
import io.polylock.spi.LockName;
import io.polylock.spi.ReleaseSignals;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** One who listens for a lock and counts. */
final class Hearing implements ReleaseSignals.SignalListener {

    private static final long PATIENCE_SECONDS = 3;

    private final Semaphore releases = new Semaphore(0);
    private final Semaphore gaps = new Semaphore(0);

    static ReleaseSignals.Subscription watch(LockBackend backend, String name, ReleaseSignals.SignalListener listener) {
        return backend.feature(ReleaseSignals.class)
                .orElseThrow()
                .watch(new LockName(name), listener, Requests.PATIENCE);
    }

    @Override
    public void released() {
        releases.release();
    }

    @Override
    public void gap() {
        gaps.release();
    }

    /** Waits for one signal, and takes it. */
    boolean hearsRelease() {
        return takes(releases);
    }

    boolean hearsGap() {
        return takes(gaps);
    }

    /** How many signals have come that nobody took. */
    int untaken() {
        return releases.availablePermits();
    }

    private static boolean takes(Semaphore what) {
        try {
            return what.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
