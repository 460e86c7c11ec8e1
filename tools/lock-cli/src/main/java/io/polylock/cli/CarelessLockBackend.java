// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import io.polylock.spi.Acquisition;
import io.polylock.spi.BackendFeature;
import io.polylock.spi.Fencing;
import io.polylock.spi.Inspection;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockRequest;
import io.polylock.spi.Ownership;
import java.util.Optional;

/**
 * A lock that does not care whose it is, as a plain DEL in place of a compare-and-delete makes it: a release frees it whoever
 * holds it, and a renewal always claims success. Wrong on purpose. Thread-safe.
 */
final class CarelessLockBackend implements LockBackend {

    private final LockBackend backend;
    private final Inspection inspection;

    private CarelessLockBackend(LockBackend backend, Inspection inspection) {
        this.backend = backend;
        this.inspection = inspection;
    }

    /** Makes a backend careless; empty if nobody can take a lock away on it. */
    static Optional<LockBackend> of(LockBackend backend) {
        return backend.feature(Inspection.class).map(inspection -> new CarelessLockBackend(backend, inspection));
    }

    @Override
    public Acquisition tryAcquire(LockRequest request) {
        return backend.tryAcquire(request);
    }

    @Override
    public Ownership renew(LockRequest request) {
        backend.renew(request);
        return Ownership.HELD;
    }

    @Override
    public Ownership release(LockRequest request) {
        inspection.revoke(request.name(), request.answerWithin());
        return Ownership.HELD;
    }

    @Override
    public <F extends BackendFeature> Optional<F> feature(Class<F> type) {
        // no hand-over, no batches: they would compare owners
        return type == Fencing.class || type == Inspection.class ? backend.feature(type) : Optional.empty();
    }

    @Override
    public void close() {
        backend.close();
    }
}
