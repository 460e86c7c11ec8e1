// SPDX-License-Identifier: Apache-2.0
package io.polylock.spi;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Objects;

/**
 * The 128 random bits that sign one attempt to acquire. Whoever knows a token can release its lease, so it is a credential:
 * {@link #toString()} shows its first eight digits only. Immutable.
 */
public final class OwnerToken {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int BYTES = 16;

    private final String value;

    private OwnerToken(String value) {
        this.value = value;
    }

    /** A new token, drawn from the system's secure random source at this moment. */
    public static OwnerToken random() {
        byte[] bits = new byte[BYTES];
        RANDOM.nextBytes(bits);
        return new OwnerToken(HexFormat.of().formatHex(bits));
    }

    /**
     * The token with a known text, as a backend reads it back from its store.
     *
     * @param value 32 lower-case hexadecimal digits
     * @throws IllegalArgumentException if it is anything else
     */
    public static OwnerToken of(String value) {
        if (!Objects.requireNonNull(value, "value").matches("[0-9a-f]{32}")) {
            throw new IllegalArgumentException("an owner token must be 32 lower-case hexadecimal digits");
        }
        return new OwnerToken(value);
    }

    /** The whole text: 32 lower-case hexadecimal digits. For the store only. */
    public String value() {
        return value;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OwnerToken token && token.value.equals(value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    @Override
    public String toString() {
        return value.substring(0, 8);
    }
}
