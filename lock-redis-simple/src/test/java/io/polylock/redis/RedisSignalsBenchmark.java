// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.polylock.servers.RedisServer;
import io.polylock.spi.Acquisition;
import io.polylock.spi.BackendUrl;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockName;
import io.polylock.spi.LockRequest;
import io.polylock.spi.ReleaseSignals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.RedisClient;

/**
 * What it costs to wake the next backend: our signals against a broadcast to all who wait for the name. Per release, the
 * requests, and the time from sending the release to the next grant, in round trips. Run by hand: it is no test.
 */
final class RedisSignalsBenchmark {

    private static final Logger LOG = Logger.getLogger("io.polylock");
    private static final int WARM_UP = 200;
    private static final int RELEASES = 200;
    private static final String NAME = "orders/42";
    private static final String CHANNEL = "broadcast:" + NAME;
    private static final Duration TTL = Duration.ofSeconds(30);

    private static final Script RELEASE_TO_ALL = Script.of(
            """
            if redis.call('get', KEYS[1]) ~= ARGV[1] then
              return 0
            end
            redis.call('del', KEYS[1])
            redis.call('publish', ARGV[2], KEYS[1])
            return 1
            """);

    private RedisSignalsBenchmark() {}

    /** One who takes the lock again and again. */
    private interface Contender extends AutoCloseable {
        boolean tries(LockRequest request);

        void awaitsSignal() throws InterruptedException;

        void releases(LockRequest request);

        @Override
        void close();
    }

    public static void main(String[] arguments) throws InterruptedException {
        LOG.setLevel(Level.OFF);
        try (RedisServer server = RedisServer.start();
                RedisClient admin = RedisClient.create(server.host(), server.port())) {
            System.out.println("contenders  variant     requests/release  release-to-grant p50        p99");
            for (int repeated = 0; repeated < 2; repeated++) {
                for (int contenders : List.of(2, 8, 32)) {
                    List<Contender> targeted = new ArrayList<>();
                    List<Contender> broadcast = new ArrayList<>();
                    for (int i = 0; i < contenders; i++) {
                        targeted.add(new Targeted(server));
                    }
                    run("targeted", targeted, admin);
                    for (int i = 0; i < contenders; i++) {
                        broadcast.add(new Broadcast(server));
                    }
                    run("broadcast", broadcast, admin);
                }
            }
        }
    }

    private static void run(String variant, List<Contender> contenders, RedisClient admin) throws InterruptedException {
        long roundTrip = roundTrip(admin);
        AtomicInteger turns = new AtomicInteger();
        long[] times = new long[WARM_UP + RELEASES];
        long[] released = {0, 0};
        CountDownLatch done = new CountDownLatch(contenders.size());
        for (Contender contender : contenders) {
            Thread thread = new Thread(() -> {
                try {
                    while (turns.get() < times.length) {
                        LockRequest request = Requests.fresh(NAME, TTL);
                        while (!contender.tries(request)) {
                            contender.awaitsSignal();
                        }
                        int turn = turns.getAndIncrement();
                        if (turn == WARM_UP) {
                            released[1] = requests(admin);
                        } else if (turn == times.length - 1) {
                            System.out.printf(
                                    Locale.ROOT,
                                    "%10d  %-10s  %16.2f",
                                    contenders.size(),
                                    variant,
                                    (double) (requests(admin) - released[1]) / (RELEASES - 1));
                        }
                        if (turn < times.length) {
                            times[turn] = System.nanoTime() - released[0];
                        }
                        // long enough for the others to have asked in vain
                        admin.ping();
                        TimeUnit.MILLISECONDS.sleep(3);
                        released[0] = System.nanoTime();
                        contender.releases(request);
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                } finally {
                    done.countDown();
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        done.await();
        contenders.forEach(Contender::close);
        long[] measured = Arrays.copyOfRange(times, WARM_UP + 1, times.length);
        Arrays.sort(measured);
        System.out.printf(
                Locale.ROOT,
                "  %5.1f us = %4.1f RTT  %7.1f us = %5.1f RTT   (RTT %.1f us)%n",
                measured[measured.length / 2] / 1e3,
                (double) measured[measured.length / 2] / roundTrip,
                measured[measured.length * 99 / 100] / 1e3,
                (double) measured[measured.length * 99 / 100] / roundTrip,
                roundTrip / 1e3);
    }

    private static long roundTrip(RedisClient client) {
        long[] nanos = new long[4_000];
        for (int i = 0; i < nanos.length; i++) {
            long start = System.nanoTime();
            client.ping();
            nanos[i] = System.nanoTime() - start;
        }
        long[] warm = Arrays.copyOfRange(nanos, nanos.length / 2, nanos.length);
        Arrays.sort(warm);
        return warm[warm.length / 2];
    }

    private static long requests(RedisClient client) {
        return client.info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_evalsha:") || line.startsWith("cmdstat_eval:"))
                .map(line -> line.replaceAll(".*:calls=(\\d+),.*", "$1"))
                .mapToLong(Long::parseLong)
                .sum();
    }

    private static final class Targeted implements Contender {

        private final Semaphore signals = new Semaphore(0);
        private final LockBackend backend;

        Targeted(RedisServer server) {
            backend = new RedisLockBackendFactory().open(BackendUrl.parse(server.url()));
            ReleaseSignals.SignalListener listener = new ReleaseSignals.SignalListener() {
                @Override
                public void released() {
                    signals.release();
                }

                @Override
                public void gap() {
                    signals.release();
                }
            };
            backend.feature(ReleaseSignals.class).orElseThrow().watch(new LockName(NAME), listener, Requests.PATIENCE);
            signals.drainPermits();
        }

        @Override
        public boolean tries(LockRequest request) {
            return backend.tryAcquire(request) instanceof Acquisition.Granted;
        }

        @Override
        public void awaitsSignal() throws InterruptedException {
            signals.tryAcquire(5, TimeUnit.SECONDS);
            signals.drainPermits();
        }

        @Override
        public void releases(LockRequest request) {
            backend.release(request);
        }

        @Override
        public void close() {
            backend.close();
        }
    }

    private static final class Broadcast implements Contender {

        private final Semaphore signals = new Semaphore(0);
        private final CountDownLatch subscribed = new CountDownLatch(1);
        private final RedisClient client;
        private final LockBackend backend;
        private final JedisPubSub ear = new JedisPubSub() {
            @Override
            public void onSubscribe(String channel, int channels) {
                subscribed.countDown();
            }

            @Override
            public void onMessage(String channel, String message) {
                signals.release();
            }
        };

        Broadcast(RedisServer server) throws InterruptedException {
            client = RedisClient.create(server.host(), server.port());
            backend = RedisLockBackend.of(client);
            client.eval(RELEASE_TO_ALL.text(), List.of("none".getBytes(UTF_8)), List.of("".getBytes(UTF_8)));
            Thread thread = new Thread(() -> client.subscribe(ear, CHANNEL));
            thread.setDaemon(true);
            thread.start();
            subscribed.await();
        }

        @Override
        public boolean tries(LockRequest request) {
            return backend.tryAcquire(request) instanceof Acquisition.Granted;
        }

        @Override
        public void awaitsSignal() throws InterruptedException {
            signals.tryAcquire(5, TimeUnit.SECONDS);
            signals.drainPermits();
        }

        @Override
        public void releases(LockRequest request) {
            Script.Call call = RELEASE_TO_ALL.on(
                    List.of("lock:" + NAME), List.of(request.owner().value(), CHANNEL));
            client.evalsha(call.script().digest(), call.keys(), call.arguments());
        }

        @Override
        public void close() {
            ear.unsubscribe();
            backend.close();
            client.close();
        }
    }
}
