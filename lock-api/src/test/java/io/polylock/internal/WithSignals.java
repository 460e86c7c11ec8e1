// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.spi.Acquisition;
import io.polylock.spi.BackendFeature;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockRequest;
import io.polylock.spi.Ownership;
import io.polylock.spi.ReleaseSignals;
import java.util.Optional;

/** A backend with other signals than its own. */
record WithSignals(LockBackend backend, ReleaseSignals signals) implements LockBackend {

    @Override
    public Acquisition tryAcquire(LockRequest request) {
        return backend.tryAcquire(request);
    }

    @Override
    public Ownership renew(LockRequest request) {
        return backend.renew(request);
    }

    @Override
    public Ownership release(LockRequest request) {
        return backend.release(request);
    }

    @Override
    public <F extends BackendFeature> Optional<F> feature(Class<F> type) {
        return type == ReleaseSignals.class ? Optional.of(type.cast(signals)) : backend.feature(type);
    }

    @Override
    public void close() {
        backend.close();
    }
}
