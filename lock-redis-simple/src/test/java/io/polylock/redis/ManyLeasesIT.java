// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.Lease;
import io.polylock.LockManager;
import io.polylock.servers.RedisServer;
import io.polylock.spi.Acquisition;
import io.polylock.spi.BackendFeature;
import io.polylock.spi.BackendUrl;
import io.polylock.spi.BatchRenewal;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import io.polylock.spi.Ownership;
import io.polylock.spi.RenewResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Ten thousand leases of one manager on one Redis. What depends on the machine is printed: the validity that was left when a
 * renewal was confirmed.
 */
@Tag("full")
class ManyLeasesIT {

    private static final int LEASES = 10_000;
    private static final int BATCH = 256;

    @ParameterizedTest
    @ValueSource(ints = {3, 30})
    void keepsTenThousandLeasesWithThreeThreadsAndFewRequests(int ttlSeconds) throws InterruptedException {
        Duration ttl = Duration.ofSeconds(ttlSeconds);
        try (RedisServer server = RedisServer.start()) {
            Observed backend = new Observed(new RedisLockBackendFactory().open(BackendUrl.parse(server.url())));
            try (LockManager locks = LockManager.of(backend)) {
                keep(locks, backend, ttl);
            }
        }
    }

    private static void keep(LockManager locks, Observed backend, Duration ttl) throws InterruptedException {
        List<Lease> leases = new ArrayList<>(LEASES);
        long start = System.nanoTime();
        for (int i = 0; i < LEASES; i++) {
            leases.add(locks.lock("many/" + i).withTtl(ttl).tryAcquire().orElseThrow());
        }
        long acquired = System.nanoTime();
        int most = 0;
        while (System.nanoTime() - acquired < ttl.multipliedBy(3).toNanos()) {
            most = Math.max(most, ours().size());
            LockSupport.parkNanos(20_000_000);
        }
        System.out.printf(
                Locale.ROOT,
                "%d leases of %s, acquired in %d ms: %d renewals in %d requests, the longest %d ms;"
                        + " smallest margin %d ms; %d threads%n",
                LEASES,
                ttl,
                (acquired - start) / 1_000_000,
                backend.renewals.get(),
                backend.requests.get(),
                backend.longest.get() / 1_000_000,
                backend.smallestMargin.get() / 1_000_000,
                most);
        assertThat(leases).allMatch(Lease::isHeld);
        assertThat(most).isEqualTo(3);
        // renewals are due on a grid of at most 20 steps an interval, and the last batch of a step need not be full
        long steps = 20 * ((System.nanoTime() - start) / (ttl.toNanos() / 3) + 1);
        assertThat(backend.requests.get()).isLessThanOrEqualTo(backend.renewals.get() / BATCH + steps);
        leases.forEach(Lease::release);
    }

    private static List<String> ours() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("polylock"))
                .sorted()
                .toList();
    }

    /** Counts, and keeps for each owner when its validity began. */
    private static final class Observed implements LockBackend {

        private final LockBackend backend;
        private final Map<OwnerToken, Long> since = new ConcurrentHashMap<>();
        private final AtomicLong requests = new AtomicLong();
        private final AtomicLong renewals = new AtomicLong();
        private final AtomicLong longest = new AtomicLong();
        private final AtomicLong smallestMargin = new AtomicLong(Long.MAX_VALUE);

        Observed(LockBackend backend) {
            this.backend = backend;
        }

        @Override
        public Acquisition tryAcquire(LockRequest request) {
            since.put(request.owner(), System.nanoTime());
            return backend.tryAcquire(request);
        }

        @Override
        public Ownership renew(LockRequest request) {
            long start = System.nanoTime();
            Ownership found = backend.renew(request);
            confirmed(start, List.of(request));
            return found;
        }

        @Override
        public Ownership release(LockRequest request) {
            return backend.release(request);
        }

        @Override
        public <F extends BackendFeature> Optional<F> feature(Class<F> type) {
            if (type == BatchRenewal.class) {
                BatchRenewal batch = this::renewAll;
                return Optional.of(type.cast(batch));
            }
            return backend.feature(type);
        }

        private List<RenewResult> renewAll(List<LockRequest> batch) {
            long start = System.nanoTime();
            List<RenewResult> results =
                    backend.feature(BatchRenewal.class).orElseThrow().renewAll(batch);
            confirmed(start, batch);
            return results;
        }

        private void confirmed(long start, List<LockRequest> batch) {
            long now = System.nanoTime();
            requests.incrementAndGet();
            renewals.addAndGet(batch.size());
            longest.accumulateAndGet(now - start, Math::max);
            for (LockRequest request : batch) {
                long ttl = request.ttl().toNanos();
                long before = since.put(request.owner(), start);
                smallestMargin.accumulateAndGet(ttl - ttl / 100 - 2_000_000 - (now - before), Math::min);
            }
        }

        @Override
        public void close() {
            backend.close();
        }
    }
}
