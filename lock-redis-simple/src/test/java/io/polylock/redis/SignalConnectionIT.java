// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import static io.polylock.redis.Requests.PATIENCE;
import static io.polylock.redis.Requests.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.servers.RedisServer;
import io.polylock.spi.BackendUrl;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;

/** How a listening connection that died in silence is found out. */
class SignalConnectionIT {

    private static final String CHANNEL = "polylock:test";
    private static final SignalConnection.Patience SHORT =
            new SignalConnection.Patience(Duration.ofMillis(200), Duration.ofMillis(300));

    private final AtomicInteger heard = new AtomicInteger();
    private final AtomicInteger gaps = new AtomicInteger();
    private final ScheduledExecutorService errands = Executors.newSingleThreadScheduledExecutor();
    private volatile boolean needed = true;
    private RedisServer server;
    private RedisClient redis;
    private SignalConnection connection;

    @BeforeEach
    void open() {
        server = RedisServer.start();
        redis = RedisClient.create(server.host(), server.port());
        BackendUrl.Host host = new BackendUrl.Host(server.host(), OptionalInt.of(server.port()));
        connection = new SignalConnection(
                new ConnectionLine(new OwnConnections(
                        host, DefaultJedisClientConfig.builder().build(), 1)),
                CHANNEL,
                SHORT,
                errands,
                new SignalConnection.Audience() {
                    @Override
                    public void heard(String message) {
                        heard.incrementAndGet();
                    }

                    @Override
                    public void gap() {
                        gaps.incrementAndGet();
                    }

                    @Override
                    public boolean isNeeded() {
                        return needed;
                    }
                });
    }

    @AfterEach
    void close() {
        connection.close();
        errands.shutdownNow();
        redis.close();
        server.close();
    }

    @Test
    void asksASilentServerForASoundAndKeepsTheConnection() {
        connection.await(Deadline.in(PATIENCE));
        until(PATIENCE, () -> subscribes() >= 4);

        assertThat(redis.publish(CHANNEL, "x")).isEqualTo(1);
        until(PATIENCE, () -> heard.get() == 1);
        assertThat(gaps).hasValue(0);
    }

    @Test
    void givesUpAServerThatDoesNotAnswerAndTellsOfTheGap() {
        connection.await(Deadline.in(PATIENCE));
        server.pause();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1_500));
        server.resume();

        until(Duration.ofSeconds(10), () -> gaps.get() == 1);
        until(PATIENCE, () -> redis.publish(CHANNEL, "x") == 1);
        until(PATIENCE, () -> heard.get() > 0);
    }

    @Test
    void asksNothingForNobody() {
        connection.await(Deadline.in(PATIENCE));
        needed = false;
        until(PATIENCE, () -> subscribes() >= 1);
        long before = subscribes();
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));

        assertThat(subscribes()).isLessThanOrEqualTo(before + 1);
        needed = true;
        connection.await(Deadline.in(PATIENCE));
        until(PATIENCE, () -> subscribes() > before + 1);
    }

    private long subscribes() {
        return redis.info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_subscribe:"))
                .map(line -> line.replaceAll(".*:calls=(\\d+),.*", "$1"))
                .mapToLong(Long::parseLong)
                .sum();
    }
}
