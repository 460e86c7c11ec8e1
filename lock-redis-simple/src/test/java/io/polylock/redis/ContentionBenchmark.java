// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.polylock.DistributedLock;
import io.polylock.Lease;
import io.polylock.LockEvent;
import io.polylock.LockListener;
import io.polylock.LockManager;
import io.polylock.ManagerOptions;
import io.polylock.ReleaseOutcome;
import io.polylock.servers.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import redis.clients.jedis.RedisClient;

/**
 * What waiting costs: hand-offs of a crowd, the time from a release to the next holder, and the heap after many names. Run by
 * hand; prints ratios to what the machine can do at the same time.
 */
final class ContentionBenchmark {

    private static final String NAME = "orders/42";
    private static final String KEY = "lock:" + NAME;
    private static final int CROWD = 16;
    private static final Duration HOLD = Duration.ofMillis(1);
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration MEASURED = Duration.ofSeconds(10);
    private static final int ROUNDS = 200;

    private ContentionBenchmark() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) {
            waitInTurn(arguments[0]);
            return;
        }
        try (RedisServer server = RedisServer.start();
                RedisClient redis = RedisClient.create(server.host(), server.port())) {
            long ping = ping(redis);
            System.out.printf(Locale.ROOT, "PING p50 %.1f us%n", ping / 1e3);
            crowd(server, redis, 1, false);
            crowd(server, redis, CROWD, false);
            crowd(server, redis, CROWD, true);
            withinAManager(server, redis);
            betweenProcesses(server, redis);
            names(server);
        }
    }

    private static long ping(RedisClient redis) {
        long[] nanos = new long[5_000];
        for (int i = 0; i < nanos.length; i++) {
            long start = System.nanoTime();
            redis.ping();
            nanos[i] = System.nanoTime() - start;
        }
        return median(nanos);
    }

    private static void crowd(RedisServer server, RedisClient redis, int size, boolean checked) throws Exception {
        try (LockManager manager = LockManager.open(server.url())) {
            DistributedLock lock = manager.lock(NAME);
            AtomicBoolean over = new AtomicBoolean();
            long[] grants = new long[size];
            long[] longest = new long[size];
            AtomicLong handOffs = new AtomicLong();
            AtomicLong last = new AtomicLong(-1);
            AtomicLong token = new AtomicLong();
            List<String> owner = new ArrayList<>(List.of(""));
            AtomicLong wrong = new AtomicLong();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                int me = i;
                threads.add(new Thread(() -> {
                    while (!over.get()) {
                        long start = System.nanoTime();
                        try (Lease lease = lock.acquire(PATIENCE)) {
                            longest[me] = Math.max(longest[me], System.nanoTime() - start);
                            grants[me]++;
                            if (last.getAndSet(me) != me) {
                                handOffs.incrementAndGet();
                            }
                            if (checked) {
                                String now = redis.get(KEY);
                                String kept = redis.get(RedisKeys.companion(KEY));
                                long mine = lease.fencingToken().orElseThrow();
                                boolean right = !now.equals(owner.set(0, now))
                                        && mine > token.getAndSet(mine)
                                        && kept.startsWith(mine + " ");
                                wrong.addAndGet(right ? 0 : 1);
                            }
                            LockSupport.parkNanos(HOLD.toNanos());
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    }
                }));
            }
            long commands = commands(redis);
            long start = System.nanoTime();
            threads.forEach(Thread::start);
            LockSupport.parkNanos(MEASURED.toNanos());
            over.set(true);
            for (Thread each : threads) {
                each.join();
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            long all = Arrays.stream(grants).sum();
            double requests = commands(redis) - commands - 1; // without the look at the statistics
            double squares = Arrays.stream(grants)
                    .mapToDouble(each -> (double) each * each)
                    .sum();
            System.out.printf(
                    Locale.ROOT,
                    "%2d threads%s: %.0f grants/s, %.0f hand-offs to another thread/s, Jain %.4f, longest wait %.1f ms,"
                            + " %.2f requests a grant%s%n",
                    size,
                    checked ? ", each grant looked up in the store" : "",
                    all / seconds,
                    handOffs.get() / seconds,
                    (double) all * all / (size * squares),
                    Arrays.stream(longest).max().orElseThrow() / 1e6,
                    requests / all,
                    checked ? ", " + wrong + " without a new owner and a larger token" : "");
        }
    }

    /** The commands that clients sent, without those that scripts ran. */
    private static long commands(RedisClient redis) {
        return Arrays.stream(redis.info("commandstats").split("\r\n"))
                .filter(line -> line.matches("cmdstat_(eval|evalsha|subscribe|info)[:|].*"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("^[^=]*=(\\d+),.*", "$1")))
                .sum();
    }

    private static void withinAManager(RedisServer server, RedisClient redis) throws Exception {
        AtomicLong inLine = new AtomicLong();
        LockListener listener = new LockListener() {
            @Override
            public void contended(LockEvent.Contended event) {
                inLine.incrementAndGet();
            }
        };
        try (LockManager manager = LockManager.open(server.url(), ManagerOptions.DEFAULTS.withListener(listener))) {
            long[] nanos = new long[ROUNDS];
            long ping = 0;
            for (int i = 0; i < ROUNDS; i++) {
                long before = inLine.get();
                Lease first = manager.lock("within").acquire(PATIENCE);
                CompletableFuture<Long> next = new CompletableFuture<>();
                Thread waiter = new Thread(() -> {
                    try (Lease lease = manager.lock("within").acquire(PATIENCE)) {
                        next.complete(System.nanoTime());
                        check(lease.isHeld());
                    } catch (InterruptedException e) {
                        next.completeExceptionally(e);
                    }
                });
                waiter.start();
                Requests.until(PATIENCE, () -> inLine.get() > before);
                long start = System.nanoTime();
                check(first.release() == ReleaseOutcome.RELEASED);
                nanos[i] = next.get() - start;
                waiter.join();
                ping += i % 20 == 0 ? ping(redis) : 0;
            }
            report("release to the next holder within a manager", nanos, ping / (ROUNDS / 20));
        }
    }

    private static void betweenProcesses(RedisServer server, RedisClient redis) throws Exception {
        Process child = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        ContentionBenchmark.class.getName(),
                        server.url())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (LockManager manager = LockManager.open(server.url());
                BufferedReader said = new BufferedReader(new InputStreamReader(child.getInputStream(), UTF_8));
                PrintStream go = new PrintStream(child.getOutputStream(), true, UTF_8)) {
            long[] nanos = new long[ROUNDS];
            long ping = 0;
            for (int i = 0; i < ROUNDS; i++) {
                Lease first = manager.lock("between").acquire(PATIENCE);
                go.println("wait");
                Requests.until(PATIENCE, () -> redis.llen(RedisKeys.waiting("lock:between")) == 1);
                long start = System.nanoTime();
                check(first.release() == ReleaseOutcome.RELEASED);
                nanos[i] = Long.parseLong(said.readLine()) - start;
                ping += i % 20 == 0 ? ping(redis) : 0;
            }
            report("release to the next holder in another process", nanos, ping / (ROUNDS / 20));
        } finally {
            child.destroyForcibly();
        }
    }

    private static void waitInTurn(String url) throws IOException, InterruptedException {
        try (LockManager manager = LockManager.open(url);
                BufferedReader go = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
            while (go.readLine() != null) {
                long now = manager.lock("between").call(PATIENCE, lease -> System.nanoTime());
                System.out.println(now); // when it is released, so that the other process need not wait for it
            }
        }
    }

    private static void names(RedisServer server) throws Exception {
        try (LockManager manager = LockManager.open(server.url())) {
            pass(manager, 0, 5_000);
            long before = heap();
            pass(manager, 5_000, 205_000);
            System.out.printf(
                    Locale.ROOT,
                    "heap %.2f MB before, %.2f MB after 200,000 names, each held, waited for and passed on%n",
                    before / 1e6,
                    heap() / 1e6);
        }
    }

    private static void pass(LockManager manager, int from, int to) throws Exception {
        for (int i = from; i < to; i++) {
            Lease first = manager.lock("name " + i).tryAcquire().orElseThrow();
            CompletableFuture<Lease> next = manager.lock("name " + i).acquireAsync(PATIENCE);
            check(first.release() == ReleaseOutcome.RELEASED);
            check(next.get().release() == ReleaseOutcome.RELEASED);
        }
    }

    private static long heap() {
        for (int i = 0; i < 5; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static void report(String what, long[] nanos, long ping) {
        long p50 = median(nanos);
        System.out.printf(
                Locale.ROOT,
                "%s: p50 %.0f us = %.1f round trips of %.1f us, p99 %.0f us%n",
                what,
                p50 / 1e3,
                (double) p50 / ping,
                ping / 1e3,
                nanos[nanos.length / 100 * 99] / 1e3);
    }

    private static long median(long[] nanos) {
        Arrays.sort(nanos);
        return nanos[nanos.length / 2];
    }

    private static void check(boolean right) {
        if (!right) {
            throw new IllegalStateException("not as expected");
        }
    }
}
