// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polylock.spi.BackendUrl;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockBackendFactory;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisLockBackendFactoryTest {

    @ParameterizedTest
    @CsvSource({
        "redis://localhost, redis://localhost:6379/0",
        "redis://localhost:1/7, redis://localhost:1/7",
        "redis://localhost/, redis://localhost:6379/0",
        "redis://me:secret@[::1]:2?pool=3&prefix=&clientName=orders, redis://[::1]:2/0"
    })
    void opensWithoutAServer(String url, String shown) {
        try (LockBackend backend = open(url)) {
            assertThat(backend).hasToString(shown);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "redis://a,b                     | must name one host",
                "redis:local                     | must be redis://host:port/database",
                "redis://a/x                     | the database in a redis URL must be 0 to 65535 but was 'x'",
                "redis://a/-1                    | the database in a redis URL must be",
                "redis://a/99999999999           | the database in a redis URL must be",
                "redis://a?pool=0                | option 'pool' must be 1 to 1024 but was '0'",
                "redis://a?pool=                 | option 'pool' must be 1 to 1024 but was ''",
                "redis://a?pool=1025             | option 'pool'",
                "redis://a?prefix=%07            | a key prefix",
                "redis://a?prefix=%20            | a key prefix must not be blank",
                "redis://a?clientName=two%20words| option 'clientName'",
                "redis://a?timeout=5             | unknown option 'timeout' in a redis URL; known options: clientName, pool, prefix",
                "redis://me@a                    | names a user must give a password"
            })
    void saysWhatIsWrong(String url, String message) {
        assertThatThrownBy(() -> open(url))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis://me:secret@a,b", "redis://me:secret@a/x", "redis://me:secret@a?pool=0"})
    void neverShowsThePassword(String url) {
        assertThatThrownBy(() -> open(url)).message().doesNotContain("secret");
    }

    @Test
    void isFoundByServiceLoader() {
        assertThat(ServiceLoader.load(LockBackendFactory.class))
                .anyMatch(factory -> factory instanceof RedisLockBackendFactory);
    }

    @Test
    void takesAnyPrefixThatNamesMayHave() {
        assertThatCode(() -> new RedisOptions("").withPrefix("a{b}:")).doesNotThrowAnyException();
        assertThatThrownBy(() -> new RedisOptions("x".repeat(256))).isInstanceOf(IllegalArgumentException.class);
    }

    private static LockBackend open(String url) {
        return new RedisLockBackendFactory().open(BackendUrl.parse(url));
    }
}
