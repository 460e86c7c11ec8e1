// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

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
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Ten thousand leases of one manager on one Redis: requests, threads, and the validity that was left when a renewal was
 * confirmed. Run by hand: it is no test. Arguments: leases, TTL in seconds, how many TTLs.
 */
final class RenewalLoad {

    private RenewalLoad() {}

    public static void main(String[] arguments) throws InterruptedException {
        int count = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 10_000;
        Duration ttl = Duration.ofSeconds(arguments.length > 1 ? Long.parseLong(arguments[1]) : 3);
        int ttls = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 5;
        try (RedisServer server = RedisServer.start()) {
            Observed backend = new Observed(new RedisLockBackendFactory().open(BackendUrl.parse(server.url())));
            try (LockManager locks = LockManager.of(backend)) {
                load(locks, backend, count, ttl, ttls);
            }
        }
    }

    private static void load(LockManager locks, Observed backend, int count, Duration ttl, int ttls)
            throws InterruptedException {
        List<Lease> leases = new ArrayList<>(count);
        AtomicLong lost = new AtomicLong();
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            Lease lease = locks.lock("load/" + i).withTtl(ttl).tryAcquire().orElseThrow();
            lease.onLost(cause -> lost.incrementAndGet());
            leases.add(lease);
        }
        System.out.printf(Locale.ROOT, "%d leases of %s acquired in %d ms%n", count, ttl, millisSince(start));
        Set<String> threads = new HashSet<>();
        int most = 0;
        start = System.nanoTime();
        long end = ttl.multipliedBy(ttls).toNanos();
        while (System.nanoTime() - start < end) {
            List<String> now = ours();
            most = Math.max(most, now.size());
            threads.addAll(now);
            LockSupport.parkNanos(20_000_000);
        }
        System.out.printf(
                Locale.ROOT,
                "lost %d, held %d; renewals %d in %d requests; smallest margin %d ms of %d ms; longest request %.1f ms%n",
                lost.get(),
                leases.stream().filter(Lease::isHeld).count(),
                backend.renewals.get(),
                backend.requests.get(),
                backend.smallestMargin.get() / 1_000_000,
                ttl.toMillis(),
                backend.longest.get() / 1e6);
        System.out.printf(Locale.ROOT, "at most %d threads at a time: %s%n", most, threads);
        start = System.nanoTime();
        leases.forEach(Lease::release);
        System.out.printf(Locale.ROOT, "released in %d ms%n", millisSince(start));
    }

    private static List<String> ours() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("polylock"))
                .sorted()
                .toList();
    }

    private static long millisSince(long start) {
        return (System.nanoTime() - start) / 1_000_000;
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
