// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.Lease;
import io.polylock.LockManager;
import io.polylock.LockTimeoutException;
import io.polylock.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class WaitingIT {

    private static final String NAME = "orders/42";

    @Test
    void aHundredThreadsThatWaitThreeSecondsAskSixTimesAtMost() throws Exception {
        assertThat(requestsWhileAHundredWait(Duration.ofSeconds(3))).hasSizeLessThanOrEqualTo(6);
    }

    @Test
    @Tag("full")
    void aHundredThreadsThatWaitHalfAMinuteAskTwelveTimesAtMost() throws Exception {
        assertThat(requestsWhileAHundredWait(Duration.ofSeconds(30))).hasSizeLessThanOrEqualTo(12);
    }

    private static List<String> requestsWhileAHundredWait(Duration wait) throws Exception {
        try (RedisServer server = RedisServer.start();
                CountingProxy proxy = new CountingProxy(server.host(), server.port());
                LockManager holding = LockManager.open(server.url());
                LockManager waiting = LockManager.open(proxy.url());
                Lease held = holding.lock(NAME).tryAcquire().orElseThrow()) {
            ExecutorService threads = Executors.newFixedThreadPool(100);
            try {
                List<Future<Throwable>> all = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    all.add(threads.submit(() -> failureOf(waiting, wait)));
                }
                for (Future<Throwable> each : all) {
                    assertThat(each.get(60, TimeUnit.SECONDS)).isInstanceOf(LockTimeoutException.class);
                }
            } finally {
                threads.shutdownNow();
            }
            assertThat(held.isHeld()).isTrue();
            System.out.println("requests of 100 threads that waited " + wait + ": " + proxy.requests());
            return proxy.requests();
        }
    }

    private static Throwable failureOf(LockManager manager, Duration wait) throws InterruptedException {
        try (Lease lease = manager.lock(NAME).acquire(wait)) {
            return new AssertionError("acquired " + lease);
        } catch (LockTimeoutException e) {
            return e;
        }
    }

    @Test
    void passingALockOnWithinAManagerIsOneRequest() throws Exception {
        try (RedisServer server = RedisServer.start();
                CountingProxy proxy = new CountingProxy(server.host(), server.port());
                LockManager manager = LockManager.open(proxy.url())) {
            Lease first = manager.lock(NAME).tryAcquire().orElseThrow();
            CompletableFuture<Lease> next = manager.lock(NAME).acquireAsync(Duration.ofSeconds(10));
            proxy.forget();
            first.close();
            Lease second = next.get(10, TimeUnit.SECONDS);
            assertThat(second.fencingToken().orElseThrow())
                    .isGreaterThan(first.fencingToken().orElseThrow());
            second.close();
            // a script is sent as text the first time
            assertThat(proxy.requests()).containsExactly("EVAL", "EVAL");
        }
    }
}
