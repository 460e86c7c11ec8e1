// SPDX-License-Identifier: Apache-2.0
/** Locks on one Redis, through Jedis. */
module io.polylock.redis {
    requires transitive io.polylock;
    requires transitive redis.clients.jedis;
    requires org.apache.commons.pool2;
    requires static org.jspecify;

    exports io.polylock.redis;

    provides io.polylock.spi.LockBackendFactory with
            io.polylock.redis.RedisLockBackendFactory;
}
