// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import io.polylock.spi.LockName;
import java.util.Objects;

/**
 * How locks are kept on a Redis.
 *
 * @param prefix what stands before the name of a lock in its key: at most 255 code points, well-formed, without control
 *     characters; may be empty; {@code lock:} by default. Clients that are to exclude each other need the same one
 */
public record RedisOptions(String prefix) {

    /** What most applications want. */
    public static final RedisOptions DEFAULTS = new RedisOptions("lock:");

    /**
     * Checks the prefix.
     *
     * @throws IllegalArgumentException if it breaks a rule; the message says which
     */
    public RedisOptions {
        Objects.requireNonNull(prefix, "prefix");
        if (!prefix.isBlank()) {
            try {
                new LockName(prefix);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "a key prefix must be what a lock name may be: " + e.getMessage(), e);
            }
        } else if (!prefix.isEmpty()) {
            throw new IllegalArgumentException("a key prefix must not be blank unless it is empty");
        }
    }

    /**
     * The same with another prefix.
     *
     * @param newPrefix may be empty
     */
    public RedisOptions withPrefix(String newPrefix) {
        return new RedisOptions(newPrefix);
    }
}
