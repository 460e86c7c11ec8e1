// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import io.polylock.servers.RedisServer;
import io.polylock.spi.BackendUrl;
import io.polylock.spi.LockBackend;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.ConnectionProvider;

/** The ways in which a backend can reach its server; all must answer alike. */
enum Way {
    URL {
        @Override
        Opened open(RedisServer server, RedisOptions options) {
            String prefix = URLEncoder.encode(options.prefix(), StandardCharsets.UTF_8);
            BackendUrl url = BackendUrl.parse(server.url() + "?pool=4&prefix=" + prefix);
            return new Opened(new RedisLockBackendFactory().open(url), Optional.empty());
        }
    },
    POOLED_CLIENT {
        @Override
        Opened open(RedisServer server, RedisOptions options) {
            return over(RedisClient.create(server.host(), server.port()), options);
        }
    },
    /** A client whose connections are out of reach. */
    OPAQUE_CLIENT {
        @Override
        Opened open(RedisServer server, RedisOptions options) {
            HostAndPort address = new HostAndPort(server.host(), server.port());
            JedisClientConfig config =
                    DefaultJedisClientConfig.builder().timeoutMillis(500).build();
            return over(
                    RedisClient.builder()
                            .clientConfig(config)
                            .connectionProvider(new OneByOne(address, config))
                            .build(),
                    options);
        }
    };

    /** A backend and the client below it. */
    record Opened(LockBackend backend, Optional<UnifiedJedis> client) implements AutoCloseable {

        @Override
        public void close() {
            backend.close();
            client.ifPresent(UnifiedJedis::close);
        }
    }

    abstract Opened open(RedisServer server, RedisOptions options);

    private static Opened over(UnifiedJedis client, RedisOptions options) {
        return new Opened(RedisLockBackend.of(client, options), Optional.of(client));
    }

    private record OneByOne(HostAndPort address, JedisClientConfig config) implements ConnectionProvider {

        @Override
        public Connection getConnection() {
            return new Connection(address, config);
        }

        @Override
        public Connection getConnection(CommandArguments arguments) {
            return getConnection();
        }

        @Override
        public void close() {}
    }
}
