// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import io.polylock.spi.Acquisition;
import io.polylock.spi.BackendFeature;
import io.polylock.spi.Inspection;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import io.polylock.spi.Ownership;
import java.time.Duration;
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
        return correct.feature(type);
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
