// SPDX-License-Identifier: Apache-2.0
package io.polylock.spi;

import io.polylock.LockBackendException;

/** What became of one lease in a batch of renewals. */
public sealed interface RenewResult {

    /**
     * The store answered.
     *
     * @param ownership what it found
     */
    record Answered(Ownership ownership) implements RenewResult {}

    /**
     * The store did not answer for this lease.
     *
     * @param failure what is known
     */
    record Failed(LockBackendException failure) implements RenewResult {}
}
