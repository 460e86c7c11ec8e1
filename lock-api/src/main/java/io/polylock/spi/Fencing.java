// SPDX-License-Identifier: Apache-2.0
package io.polylock.spi;

/**
 * Every grant carries a fencing token, minted in the same atomic step: {@code max(stored token + 1, the store's clock in
 * microseconds)}, greater than that of every earlier grant of the lock (FEN-1), also after the store has forgotten (FEN-5).
 * A marker without operations.
 */
public non-sealed interface Fencing extends BackendFeature {

    /** What a token stays below: 2^53, so that scripts and JSON, which count in doubles, keep every digit. */
    long TOKEN_LIMIT = 1L << 53;
}
