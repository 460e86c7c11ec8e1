// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import io.polylock.LockBackendException;
import io.polylock.spi.Acquisition;
import io.polylock.spi.BackendFeature;
import io.polylock.spi.BatchRenewal;
import io.polylock.spi.Inspection;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import io.polylock.spi.Ownership;
import io.polylock.spi.RenewResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A backend that passes everything on; a mutant overrides the step that it gets wrong. */
class Wrong implements LockBackend {

    final LockBackend correct;

    Wrong(LockBackend correct) {
        this.correct = correct;
    }

    @Override
    public Acquisition tryAcquire(LockRequest request) {
        return correct.tryAcquire(request);
    }

    @Override
    public Ownership renew(LockRequest request) {
        return correct.renew(request);
    }

    @Override
    public Ownership release(LockRequest request) {
        return correct.release(request);
    }

    @Override
    public <F extends BackendFeature> Optional<F> feature(Class<F> type) {
        return correct.feature(type).map(feature -> type == BatchRenewal.class ? type.cast(batches()) : feature);
    }

    /** A batch must not pass by a defect of single renewals. */
    private BatchRenewal batches() {
        return new BatchRenewal() {
            @Override
            public List<RenewResult> renewAll(List<LockRequest> requests) {
                return requests.stream().map(Wrong.this::inBatch).toList();
            }
        };
    }

    private RenewResult inBatch(LockRequest request) {
        try {
            return new RenewResult.Answered(renew(request));
        } catch (LockBackendException e) {
            return new RenewResult.Failed(e);
        }
    }

    /** A backend that cannot do some of what another one can. */
    static Wrong without(LockBackend backend, List<Class<? extends BackendFeature>> missing) {
        return new Wrong(backend) {
            @Override
            public <F extends BackendFeature> Optional<F> feature(Class<F> type) {
                return missing.contains(type) ? Optional.empty() : backend.feature(type);
            }
        };
    }

    @Override
    public void close() {
        correct.close();
    }

    final Inspection operator() {
        return correct.feature(Inspection.class).orElseThrow();
    }

    /** Deletes the lock, whoever holds it. */
    final Ownership deleteBlindly(LockRequest request) {
        return operator().revoke(request.name(), Duration.ofSeconds(1)).isPresent() ? Ownership.HELD : Ownership.ABSENT;
    }

    final boolean isOwner(LockRequest request) {
        return operator()
                .inspect(request.name(), Duration.ofSeconds(1))
                .filter(holder -> holder.ownerHint().equals(request.owner().toString()))
                .isPresent();
    }

    final Duration remaining(LockRequest request) {
        return operator()
                .inspect(request.name(), Duration.ofSeconds(1))
                .flatMap(holder -> holder.remaining())
                .orElse(Duration.ZERO);
    }

    static LockRequest withTtl(LockRequest request, Duration ttl) {
        Duration least = Duration.ofMillis(10);
        return request.withTtl(ttl.compareTo(least) < 0 ? least : ttl);
    }

    static LockRequest withOwner(LockRequest request, OwnerToken owner) {
        return new LockRequest(request.name(), owner, request.label(), request.ttl(), request.answerWithin());
    }
}
