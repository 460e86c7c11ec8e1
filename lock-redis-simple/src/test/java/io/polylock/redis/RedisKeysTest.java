// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.spi.LockName;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.util.JedisClusterCRC16;

class RedisKeysTest {

    static List<String> names() {
        return List.of(
                "orders/42",
                "a{b",
                "a}b",
                "{}",
                "{a}b",
                "a{}{b}",
                "}x{",
                "{",
                "}",
                "{}}",
                "{{a}}",
                "x{a}{b}",
                "}{a}",
                "{}{a}",
                "a{}b",
                "\uD83D\uDD12",
                "{\uD83D\uDD12}x",
                "}\uD83D\uDD12",
                "lock:lock:",
                "*?[a]\\",
                "ünïcode} ключ");
    }

    @ParameterizedTest
    @MethodSource("names")
    void keepsTheCompanionInTheSlotOfTheLock(String name) {
        for (String prefix : List.of("", "lock:", "{app}:", "}", "{", "{}", "a{b}c:")) {
            String lock = new RedisKeys(prefix).lock(new LockName(name));

            assertThat(JedisClusterCRC16.getSlot(RedisKeys.companion(lock)))
                    .as("slot of the companion of '%s'", lock)
                    .isEqualTo(JedisClusterCRC16.getSlot(lock));
            assertThat(JedisClusterCRC16.getSlot(RedisKeys.waiting(lock)))
                    .as("slot of the list of '%s'", lock)
                    .isEqualTo(JedisClusterCRC16.getSlot(lock));
            assertThat(RedisKeys.waiting(lock)).isNotEqualTo(RedisKeys.companion(lock));
        }
    }

    @Test
    void keepsTheCompanionInTheSlotOfTheLockForRandomNames() {
        Random random = new Random(7);
        for (int round = 0; round < 20_000; round++) {
            StringBuilder key = new StringBuilder();
            for (int i = 0; i < 1 + random.nextInt(8); i++) {
                key.append("ab{}".charAt(random.nextInt(4)));
            }
            String companion = RedisKeys.companion(key.toString());

            assertThat(JedisClusterCRC16.getSlot(companion))
                    .as("%s", key)
                    .isEqualTo(JedisClusterCRC16.getSlot(key.toString()));
        }
    }

    @Test
    void givesEachLockACompanionOfItsOwn() {
        Set<String> keys = new HashSet<>();
        Set<String> companions = new HashSet<>();
        String letters = "a{}";
        for (int number = 0; number < 3 * 3 * 3 * 3 * 3 * 3 * 3; number++) {
            StringBuilder key = new StringBuilder();
            for (int rest = number; rest > 0; rest /= 3) {
                key.append(letters.charAt(rest % 3));
            }
            if (!key.isEmpty() && keys.add(key.toString())) {
                companions.add(RedisKeys.companion(key.toString()));
            }
        }

        assertThat(companions).hasSameSizeAs(keys);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "lock:", "polylock"})
    void takesNothingOfOursForALock(String prefix) {
        RedisKeys keys = new RedisKeys(prefix);

        assertThat(keys.nameAt(RedisKeys.incarnation())).isEmpty();
        assertThat(names())
                .map(LockName::new)
                .map(keys::lock)
                .allSatisfy(lock ->
                        assertThat(keys.nameAt(RedisKeys.companion(lock))).isEmpty())
                .allSatisfy(
                        lock -> assertThat(keys.nameAt(RedisKeys.waiting(lock))).isEmpty());
    }

    @ParameterizedTest
    @MethodSource("names")
    void readsTheNameBackFromTheKey(String name) {
        RedisKeys keys = new RedisKeys("lock:");

        assertThat(keys.nameAt(keys.lock(new LockName(name)))).contains(new LockName(name));
        assertThat(keys.nameAt(name))
                .isEqualTo(name.startsWith("lock:") ? keys.nameAt("lock:lock:") : keys.nameAt("x"));
    }

    @Test
    void matchesThePrefixToTheLetter() {
        assertThat(new RedisKeys("a*?[b]\\-^").pattern()).isEqualTo("a\\*\\?\\[b\\]\\\\\\-\\^*");
    }
}
