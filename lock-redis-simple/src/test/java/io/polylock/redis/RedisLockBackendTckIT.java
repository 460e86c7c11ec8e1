// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import io.polylock.servers.LockServer;
import io.polylock.servers.RedisServer;
import io.polylock.spi.BackendUrl;
import io.polylock.spi.LockBackend;
import io.polylock.tck.LockBackendTck;
import io.polylock.tck.StoreFaults;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import redis.clients.jedis.RedisClient;

/** One real Redis keeps every rule that its harness can provoke. */
class RedisLockBackendTckIT extends LockBackendTck {

    private static LockServer server;

    @BeforeAll
    static void startRedis() {
        server = RedisServer.forTests();
    }

    @AfterAll
    static void stopRedis() {
        server.close();
    }

    @Override
    protected LockBackend createBackend() {
        return open(server.url());
    }

    @Override
    protected Optional<LockBackend> createUnreachableBackend() {
        return Optional.of(open("redis://127.0.0.1:1"));
    }

    /** Nothing is broken but what this test has started. */
    @Override
    protected StoreFaults faults() {
        return server instanceof RedisServer own ? new Faults(own) : StoreFaults.NONE;
    }

    private static LockBackend open(String url) {
        return new RedisLockBackendFactory().open(BackendUrl.parse(url));
    }

    private record Faults(RedisServer own) implements StoreFaults {

        @Override
        public Done restartEmpty() {
            try (RedisClient admin = RedisClient.create(own.url())) {
                admin.flushAll();
            }
            return Done.DONE;
        }

        @Override
        public Done hang() {
            own.pause();
            return Done.DONE;
        }

        @Override
        public Done resume() {
            own.resume();
            return Done.DONE;
        }
    }
}
