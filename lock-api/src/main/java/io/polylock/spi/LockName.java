// SPDX-License-Identifier: Apache-2.0
package io.polylock.spi;

import io.polylock.internal.Checks;

/**
 * The name of a lock: 1 to 255 Unicode code points, well-formed, not blank, without control characters. Two names are one
 * lock only if they are equal code point by code point; case, accents and blanks count. Every backend takes every name.
 *
 * @param value the text
 */
public record LockName(String value) {

    /**
     * Checks the name.
     *
     * @throws IllegalArgumentException if it breaks a rule; the message says which and shows the value
     */
    public LockName {
        Checks.lockName(value);
    }

    @Override
    public String toString() {
        return value;
    }
}
