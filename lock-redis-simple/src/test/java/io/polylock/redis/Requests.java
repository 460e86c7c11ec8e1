// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.spi.Acquisition;
import io.polylock.spi.LockName;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Shorthands of the tests. */
final class Requests {

    static final Duration TTL = Duration.ofSeconds(30);
    static final Duration PATIENCE = Duration.ofSeconds(2);

    private Requests() {}

    static LockRequest by(OwnerToken owner, String name, Duration ttl) {
        return new LockRequest(new LockName(name), owner, "host:" + owner, ttl, PATIENCE);
    }

    /** A request of an owner that nobody else is. */
    static LockRequest fresh(String name, Duration ttl) {
        return by(OwnerToken.random(), name, ttl);
    }

    static LockRequest fresh(String name) {
        return fresh(name, TTL);
    }

    static LockRequest withTtl(LockRequest request, Duration ttl) {
        return by(request.owner(), request.name().value(), ttl);
    }

    static long token(Acquisition acquisition) {
        assertThat(acquisition).isInstanceOf(Acquisition.Granted.class);
        return ((Acquisition.Granted) acquisition).fencingToken().orElseThrow();
    }

    static Acquisition.Contended contended(Acquisition acquisition) {
        assertThat(acquisition).isInstanceOf(Acquisition.Contended.class);
        return (Acquisition.Contended) acquisition;
    }

    /** Looks until it is so, for at most this long. */
    static void until(Duration longest, BooleanSupplier so) {
        long start = System.nanoTime();
        while (!so.getAsBoolean()) {
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .as("time waited")
                    .isLessThan(longest);
            LockSupport.parkNanos(1_000_000);
        }
    }
}
