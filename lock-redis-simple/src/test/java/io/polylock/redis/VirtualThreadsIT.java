// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.Lease;
import io.polylock.LockManager;
import io.polylock.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** A crowd of threads on few locks: virtual threads where the JDK has them, a smaller crowd of platform threads elsewhere. */
class VirtualThreadsIT {

    private static final int LOCKS = 100;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @Test
    void aCrowdGetsItsLocksAndLeavesNoneBehind() throws Exception {
        boolean virtual = Runtime.version().feature() >= 21;
        int crowd = virtual ? 10_000 : 1_000;
        AtomicInteger done = new AtomicInteger();
        AtomicInteger interrupted = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicIntegerArray inside = new AtomicIntegerArray(LOCKS);
        AtomicInteger overlaps = new AtomicInteger();
        List<Throwable> failures = new ArrayList<>();
        CountDownLatch ended = new CountDownLatch(crowd);
        ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor();
        long start = System.nanoTime();
        try (RedisServer server = RedisServer.start();
                LockManager manager = LockManager.open(server.url() + "?pool=4");
                RedisClient redis = RedisClient.create(server.host(), server.port())) {
            Future<?> unused = watch.scheduleAtFixedRate(
                    () -> most.accumulateAndGet(ours(), Math::max), 0, 20, TimeUnit.MILLISECONDS);
            ThreadFactory factory = virtual ? virtualThreads() : Thread::new;
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < crowd; i++) {
                int lock = i % LOCKS;
                threads.add(factory.newThread(() -> {
                    try (Lease lease = manager.lock("lock " + lock).acquire(PATIENCE)) {
                        if (inside.incrementAndGet(lock) > 1 && lease.isHeld()) {
                            overlaps.incrementAndGet();
                        }
                        LockSupport.parkNanos(1_000_000);
                        inside.decrementAndGet(lock);
                        done.incrementAndGet();
                    } catch (InterruptedException e) {
                        interrupted.incrementAndGet();
                    } catch (RuntimeException | Error e) {
                        synchronized (failures) {
                            failures.add(e);
                        }
                    } finally {
                        ended.countDown();
                    }
                }));
            }
            Random random = new Random(42);
            for (int i = 0; i < crowd; i++) {
                threads.get(i).start();
                if (i % 10 == 9) {
                    threads.get(random.nextInt(i + 1)).interrupt();
                }
            }
            assertThat(ended.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as("the crowd ended")
                    .isTrue();
            System.out.printf(
                    "%d %s threads on %d locks: %d done, %d interrupted, %d platform threads of ours at most, %d ms%n",
                    crowd,
                    virtual ? "virtual" : "platform",
                    LOCKS,
                    done.get(),
                    interrupted.get(),
                    most.get(),
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
            assertThat(failures).isEmpty();
            assertThat(overlaps).hasValue(0);
            assertThat(done.get() + interrupted.get()).isEqualTo(crowd);
            assertThat(most.get()).isBetween(1, 20);
            awaitNoLocks(redis);
        } finally {
            watch.shutdownNow();
        }
    }

    /** What an interrupt left unknown is undone at once, long before its TTL of 30 s. */
    private static void awaitNoLocks(RedisClient redis) {
        Requests.until(Duration.ofSeconds(10), () -> redis.keys("lock:*").isEmpty());
    }

    private static int ours() {
        return (int) Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("polylock"))
                .count();
    }

    /** By reflection, because Java 17 does not know them. */
    private static ThreadFactory virtualThreads() throws ReflectiveOperationException {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        return (ThreadFactory)
                Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
    }
}
