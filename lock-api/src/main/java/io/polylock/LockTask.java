// SPDX-License-Identifier: Apache-2.0
package io.polylock;

/**
 * Work that is done under a lock and returns nothing.
 *
 * @param <E> what it throws; {@link RuntimeException} if nothing checked
 */
@FunctionalInterface
public interface LockTask<E extends Exception> {

    /**
     * Does the work.
     *
     * @param lease the lease that protects it
     * @throws E if the work failed; the lock is released all the same
     */
    void run(Lease lease) throws E;
}
