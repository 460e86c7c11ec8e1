// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import static io.polylock.redis.Hearing.watch;
import static io.polylock.redis.Requests.PATIENCE;
import static io.polylock.redis.Requests.contended;
import static io.polylock.redis.Requests.fresh;
import static io.polylock.redis.Requests.token;
import static io.polylock.redis.Requests.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.redis.Way.Opened;
import io.polylock.servers.RedisServer;
import io.polylock.spi.LockRequest;
import io.polylock.spi.ReleaseSignals;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.UnifiedJedis;

/** Signals through a second client of the application. */
class RedisWithSignalsIT {

    private static final String NAME = "orders/42";

    private final Hearing hearing = new Hearing();
    private RedisServer server;
    private RedisClient client;

    @BeforeEach
    void start() {
        server = RedisServer.start();
        client = RedisClient.create(server.host(), server.port());
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = Way.class,
            names = {"POOLED_CLIENT", "OPAQUE_CLIENT"})
    void listensThroughASecondClientThatStaysOpen(Way way) {
        try (Opened second = way.open(server, RedisOptions.DEFAULTS)) {
            UnifiedJedis listener = second.client().orElseThrow();
            RedisLockBackend backend = RedisLockBackend.of(client).withSignals(listener);
            LockRequest held = fresh(NAME);
            token(backend.tryAcquire(held));
            watch(backend, NAME, hearing);
            contended(backend.tryAcquire(fresh(NAME)));
            kill();
            assertThat(hearing.hearsGap()).isTrue();
            contended(backend.tryAcquire(fresh(NAME)));

            backend.release(held);

            assertThat(hearing.hearsRelease()).isTrue();
            backend.close();
            until(PATIENCE, () -> listeners().isEmpty());
            assertThat(listener.get("x")).isNull();
            assertThat(client.get("x")).isNull();
            if (way == Way.POOLED_CLIENT) {
                RedisClient pooled = (RedisClient) listener;
                until(PATIENCE, () -> pooled.getPool().getNumActive() == 0);
            }
        }
    }

    @Test
    void saysOnceThatNobodySignals() {
        List<LogRecord> records = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public synchronized void publish(LogRecord record) {
                records.add(record);
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger log = Logger.getLogger("io.polylock");
        Optional<Level> before = Optional.ofNullable(log.getLevel());
        log.setLevel(Level.INFO);
        log.addHandler(handler);
        try (RedisLockBackend backend = RedisLockBackend.of(client)) {
            assertThat(backend.feature(ReleaseSignals.class)).isEmpty();
            token(backend.tryAcquire(fresh(NAME)));
            assertThat(records).isEmpty();
            for (int i = 0; i < 3; i++) {
                contended(backend.tryAcquire(fresh(NAME)));
            }
        } finally {
            log.removeHandler(handler);
            log.setLevel(before.orElse(null));
        }
        assertThat(records).singleElement().satisfies(record -> {
            assertThat(record.getLevel()).isEqualTo(Level.INFO);
            assertThat(record.getMessage()).contains("withSignals");
        });
    }

    private void kill() {
        client.executeCommand(
                new CommandArguments(Command.CLIENT).add("KILL").add("TYPE").add("pubsub"));
    }

    private String listeners() {
        Object reply = client.executeCommand(
                new CommandArguments(Command.CLIENT).add("LIST").add("TYPE").add("pubsub"));
        return Reply.text(reply).strip();
    }
}
