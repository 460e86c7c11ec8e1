// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.spi.Acquisition;
import io.polylock.spi.BackendFeature;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockRequest;
import io.polylock.spi.Ownership;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** A backend whose answers the kit tampers with, to see what the engine makes of them. Thread-safe. */
final class Tampered implements LockBackend {

    /** What happens to one kind of request. */
    interface Fault {

        /** Requests pass. */
        Fault NONE = new Fault() {
            @Override
            public <T> T around(Supplier<T> request) {
                return request.get();
            }
        };

        /** Requests are applied, answers are lost. */
        Fault LOSE_REPLY = new Fault() {
            @Override
            public <T> T around(Supplier<T> request) {
                T lost = request.get();
                throw new LockBackendException(Outcome.UNKNOWN, "the kit lost the answer " + lost);
            }
        };

        /** Requests are lost. */
        Fault LOSE_REQUEST = failing(Outcome.UNKNOWN);

        /** There is no connection. */
        Fault UNREACHABLE = failing(Outcome.NOT_APPLIED);

        /** The store refuses. */
        Fault REFUSE = failing(Outcome.REFUSED);

        <T> T around(Supplier<T> request);

        private static Fault failing(Outcome outcome) {
            return new Fault() {
                @Override
                public <T> T around(Supplier<T> request) {
                    throw new LockBackendException(outcome, "the kit lets requests fail: " + outcome);
                }
            };
        }
    }

    final AtomicInteger acquires = new AtomicInteger();
    final AtomicInteger renews = new AtomicInteger();
    final AtomicInteger releases = new AtomicInteger();
    volatile Fault onAcquire = Fault.NONE;
    volatile Fault onRenew = Fault.NONE;
    volatile Fault onRelease = Fault.NONE;

    private final LockBackend backend;

    Tampered(LockBackend backend) {
        this.backend = backend;
    }

    @Override
    public Acquisition tryAcquire(LockRequest request) {
        acquires.incrementAndGet();
        return onAcquire.around(() -> backend.tryAcquire(request));
    }

    @Override
    public Ownership renew(LockRequest request) {
        renews.incrementAndGet();
        return onRenew.around(() -> backend.renew(request));
    }

    @Override
    public Ownership release(LockRequest request) {
        releases.incrementAndGet();
        return onRelease.around(() -> backend.release(request));
    }

    @Override
    public <F extends BackendFeature> Optional<F> feature(Class<F> type) {
        return backend.feature(type);
    }

    @Override
    public void close() {
        backend.close();
    }
}
