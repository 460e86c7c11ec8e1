// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import io.polylock.spi.BackendUrl;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockBackendFactory;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.Protocol;

/**
 * Opens {@code redis://[[user]:password@]host[:port][/database][?options]}. Options: {@code prefix}, what stands before the
 * name of a lock in its key ({@code lock:}); {@code pool}, how many connections there may be at a time (16);
 * {@code clientName}, how the connections are called in the server's list of clients. Thread-safe.
 */
public final class RedisLockBackendFactory implements LockBackendFactory {

    private static final int DEFAULT_POOL = 16;
    private static final int LARGEST_POOL = 1_024;
    private static final int LARGEST_DATABASE = 65_535;

    /** For {@link java.util.ServiceLoader}. */
    public RedisLockBackendFactory() {}

    @Override
    public Set<String> schemes() {
        return Set.of("redis");
    }

    @Override
    public LockBackend open(BackendUrl url) {
        url.requireOptions(Set.of("prefix", "pool", "clientName"));
        Map<String, String> options = url.options();
        BackendUrl.Host host = onlyHost(url);
        RedisOptions kept = Optional.ofNullable(options.get("prefix"))
                .map(RedisOptions.DEFAULTS::withPrefix)
                .orElse(RedisOptions.DEFAULTS);
        int pool =
                number("option 'pool'", options.getOrDefault("pool", Integer.toString(DEFAULT_POOL)), 1, LARGEST_POOL);
        DefaultJedisClientConfig.Builder handshake = DefaultJedisClientConfig.builder()
                .serverDefaultProtocol()
                .clientSetInfoConfig(ClientSetInfoConfig.DISABLED)
                .database(number(
                        "the database in a redis URL", url.path().isEmpty() ? "0" : url.path(), 0, LARGEST_DATABASE));
        Optional<String> password = url.password().filter(given -> !given.isEmpty());
        if (url.user().isPresent() && password.isEmpty()) {
            throw new IllegalArgumentException("a redis URL that names a user must give a password: " + url);
        }
        url.user().ifPresent(handshake::user);
        password.ifPresent(handshake::password);
        Optional.ofNullable(options.get("clientName"))
                .map(RedisLockBackendFactory::clientName)
                .ifPresent(handshake::clientName);
        return RedisLockBackend.to(
                new BackendUrl.Host(host.name(), OptionalInt.of(host.port().orElse(Protocol.DEFAULT_PORT))),
                handshake.build(),
                pool,
                kept);
    }

    private static BackendUrl.Host onlyHost(BackendUrl url) {
        if (url.hosts().isEmpty()) {
            throw new IllegalArgumentException("a redis URL must be redis://host:port/database but was " + url);
        }
        if (url.hosts().size() > 1) {
            throw new IllegalArgumentException(
                    "a redis URL must name one host, because locks on several need a quorum or a failover: " + url);
        }
        return url.hosts().get(0);
    }

    private static int number(String what, String text, int least, int most) {
        int number = text.matches("[0-9]{1,9}") ? Integer.parseInt(text) : -1;
        if (number < least || number > most) {
            throw new IllegalArgumentException(what + " must be " + least + " to " + most + " but was '" + text + "'");
        }
        return number;
    }

    private static String clientName(String name) {
        if (!name.matches("[!-~]{1,255}")) {
            throw new IllegalArgumentException(
                    "option 'clientName' must be 1 to 255 visible ASCII characters without blanks");
        }
        return name;
    }
}
