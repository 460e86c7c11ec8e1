// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.servers.RedisServer;
import io.polylock.spi.Acquisition;
import io.polylock.spi.BackendUrl;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockName;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import io.polylock.spi.Ownership;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

class RedisLockBackendIT {

    @Test
    void smoke() {
        try (RedisServer server = RedisServer.start();
                RedisClient client = RedisClient.create(server.host(), server.port());
                LockBackend passed = RedisLockBackend.of(client);
                LockBackend own = new RedisLockBackendFactory().open(BackendUrl.parse(server.url()))) {
            LockRequest a = new LockRequest(
                    new LockName("n"), OwnerToken.random(), "me", Duration.ofSeconds(5), Duration.ofSeconds(2));
            LockRequest b = new LockRequest(
                    new LockName("n"), OwnerToken.random(), "me", Duration.ofSeconds(5), Duration.ofSeconds(2));
            assertThat(passed.tryAcquire(a)).isInstanceOf(Acquisition.Granted.class);
            assertThat(own.tryAcquire(b)).isInstanceOf(Acquisition.Contended.class);
            assertThat(own.renew(a)).isEqualTo(Ownership.HELD);
            assertThat(own.release(a)).isEqualTo(Ownership.HELD);
            assertThat(passed.release(a)).isEqualTo(Ownership.ABSENT);
            assertThat(passed.tryAcquire(b)).isInstanceOf(Acquisition.Granted.class);
        }
    }
}
