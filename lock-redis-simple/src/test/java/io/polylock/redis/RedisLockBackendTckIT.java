// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

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

    private static RedisServer server;
    private static RedisClient admin;

    @BeforeAll
    static void startRedis() {
        server = RedisServer.start();
        admin = RedisClient.create(server.url());
    }

    @AfterAll
    static void stopRedis() {
        admin.close();
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

    @Override
    protected StoreFaults faults() {
        return new StoreFaults() {
            @Override
            public Done restartEmpty() {
                admin.flushAll();
                return Done.DONE;
            }

            @Override
            public Done hang() {
                server.pause();
                return Done.DONE;
            }

            @Override
            public Done resume() {
                server.resume();
                return Done.DONE;
            }
        };
    }

    private static LockBackend open(String url) {
        return new RedisLockBackendFactory().open(BackendUrl.parse(url));
    }
}
