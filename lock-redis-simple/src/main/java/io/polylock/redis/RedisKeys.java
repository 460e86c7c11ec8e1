// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.polylock.spi.LockName;
import java.util.Optional;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * The keys of a lock. The lock itself is a string at prefix + name, as with lock clients of other languages. What else we
 * keep of it lies at a companion key, and who waits for it at a third one, both in the same cluster slot. No prefix and no
 * name can spell them, because neither may have control characters. Immutable.
 */
final class RedisKeys {

    private static final String MARK = "polylock\u0001";
    private static final String WAITING_MARK = "polylock\u0002";
    private static final String INCARNATION = MARK + "node";

    private final String prefix;

    RedisKeys(String prefix) {
        this.prefix = prefix;
    }

    String lock(LockName name) {
        return prefix + name.value();
    }

    /** The key of the node's incarnation: one for all prefixes, because they share one memory. */
    static String incarnation() {
        return INCARNATION;
    }

    /**
     * The key beside a lock key. A cluster hashes what is between the first brace and the next closing one, or else the whole
     * key. We repeat that part in braces; where it has a closing brace of its own, a tag of the same slot stands for it.
     */
    static String companion(String lockKey) {
        return MARK + besides(lockKey);
    }

    /** The key of the list of those who wait for a lock, as the companion beside its key. */
    static String waiting(String lockKey) {
        return WAITING_MARK + besides(lockKey);
    }

    /** The name of the lock at a key; empty if the key cannot be one of a lock. */
    Optional<LockName> nameAt(String key) {
        if (!key.startsWith(prefix)) {
            return Optional.empty();
        }
        try {
            return Optional.of(new LockName(key.substring(prefix.length())));
        } catch (IllegalArgumentException notALock) {
            return Optional.empty();
        }
    }

    /** The pattern that all lock keys match. */
    String pattern() {
        return prefix.replaceAll("[\\\\*?\\[\\]^-]", "\\\\$0") + "*";
    }

    private static String besides(String lockKey) {
        String hashed = hashed(lockKey);
        if (hashed.indexOf('}') >= 0) {
            return '{' + SlotTags.of(hashed) + '}' + lockKey;
        }
        return '{' + hashed + '}' + (hashed.equals(lockKey) ? "" : lockKey);
    }

    private static String hashed(String key) {
        int open = key.indexOf('{');
        int close = open < 0 ? -1 : key.indexOf('}', open);
        return close > open + 1 ? key.substring(open + 1, close) : key;
    }

    /** A short text for each slot of a cluster; filled when the first lock needs one. */
    private static final class SlotTags {

        private static final int SLOTS = 16_384;
        private static final String[] TAGS = fill();

        static String of(String hashed) {
            return TAGS[slot(hashed)];
        }

        private static String[] fill() {
            String[] tags = new String[SLOTS];
            for (int filled = 0, number = 0; filled < SLOTS; number++) {
                String tag = Integer.toString(number, Character.MAX_RADIX);
                int slot = slot(tag);
                if (tags[slot] == null) {
                    tags[slot] = tag;
                    filled++;
                }
            }
            return tags;
        }

        private static int slot(String hashed) {
            return JedisClusterCRC16.getCRC16(hashed.getBytes(UTF_8)) % SLOTS;
        }
    }
}
