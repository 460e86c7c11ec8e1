// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.polylock.Lease;
import io.polylock.LockManager;
import io.polylock.servers.RedisServer;
import io.polylock.spi.BackendUrl;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisNoScriptException;
import redis.clients.jedis.params.SetParams;

/**
 * What our code costs: the median time of acquire and release, against the same two scripts sent by hand through the same
 * client. The variants take turns, so that all meet the same machine. Run by hand: it is no test.
 */
final class RedisCycleBenchmark {

    private static final int WARM_UP = 5_000;
    private static final int ROUNDS = 20_000;
    private static final String NAME = "orders/42";
    private static final Duration TTL = Duration.ofSeconds(30);

    private static final Script PLAIN_DELETE = Script.of(
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end");

    private RedisCycleBenchmark() {}

    private interface Cycle {
        void run() throws InterruptedException;
    }

    public static void main(String[] arguments) throws InterruptedException {
        try (RedisServer server = RedisServer.start();
                RedisClient client = RedisClient.create(server.host(), server.port());
                LockBackend given = RedisLockBackend.of(client);
                LockBackend own = new RedisLockBackendFactory().open(BackendUrl.parse(server.url()));
                LockManager overGiven = LockManager.of(RedisLockBackend.of(client));
                LockManager overOwn = LockManager.open(server.url())) {
            Map<String, Cycle> cycles = new LinkedHashMap<>();
            cycles.put("raw scripts", () -> raw(client));
            cycles.put("raw SET NX PX + delete script", () -> plain(client));
            cycles.put("backend, given client", () -> backend(given));
            cycles.put("backend, by URL", () -> backend(own));
            cycles.put("manager, given client", () -> manager(overGiven));
            cycles.put("manager, by URL", () -> manager(overOwn));
            report(cycles);
        }
    }

    private static void report(Map<String, Cycle> cycles) throws InterruptedException {
        List<Map.Entry<String, Cycle>> variants = List.copyOf(cycles.entrySet());
        long[][] nanos = new long[variants.size()][ROUNDS];
        for (int round = -WARM_UP; round < ROUNDS; round++) {
            for (int i = 0; i < nanos.length; i++) {
                long start = System.nanoTime();
                variants.get(i).getValue().run();
                if (round >= 0) {
                    nanos[i][round] = System.nanoTime() - start;
                }
            }
        }
        for (long[] each : nanos) {
            Arrays.sort(each);
        }
        for (int i = 0; i < nanos.length; i++) {
            System.out.printf(
                    Locale.ROOT,
                    "%-32s p50 %7.1f us  p99 %8.1f us  x %.3f%n",
                    variants.get(i).getKey(),
                    nanos[i][ROUNDS / 2] / 1_000.0,
                    nanos[i][ROUNDS / 100 * 99] / 1_000.0,
                    (double) nanos[i][ROUNDS / 2] / nanos[0][ROUNDS / 2]);
        }
    }

    private static void raw(RedisClient client) {
        Script.Call acquire = RedisScripts.ACQUIRE.on(
                List.of("lock:" + NAME, RedisKeys.companion("lock:" + NAME), RedisKeys.waiting("lock:" + NAME)),
                List.of(OwnerToken.random().value(), "30000", "host", "3600000", "", ""));
        Script.Call release = RedisScripts.RELEASE.on(
                List.of("lock:" + NAME, RedisKeys.waiting("lock:" + NAME)),
                List.of(new String(acquire.arguments().get(0), UTF_8), ""));
        send(client, acquire);
        send(client, release);
    }

    private static void send(RedisClient client, Script.Call call) {
        try {
            client.evalsha(call.script().digest(), call.keys(), call.arguments());
        } catch (JedisNoScriptException first) {
            client.eval(call.script().text(), call.keys(), call.arguments());
        }
    }

    private static void plain(RedisClient client) {
        String owner = OwnerToken.random().value();
        client.set("lock:" + NAME, owner, SetParams.setParams().nx().px(30_000));
        send(client, PLAIN_DELETE.on(List.of("lock:" + NAME), List.of(owner)));
    }

    private static void backend(LockBackend backend) {
        LockRequest request = Requests.by(OwnerToken.random(), NAME, TTL);
        backend.tryAcquire(request);
        backend.release(request);
    }

    private static void manager(LockManager locks) throws InterruptedException {
        try (Lease lease = locks.lock(NAME).withTtl(TTL).tryAcquire().orElseThrow()) {
            lease.isHeld();
        }
    }
}
