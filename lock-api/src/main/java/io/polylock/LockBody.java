// SPDX-License-Identifier: Apache-2.0
package io.polylock;

/**
 * Work that is done under a lock and returns a value.
 *
 * @param <T> what it returns
 * @param <E> what it throws; {@link RuntimeException} if nothing checked
 */
@FunctionalInterface
public interface LockBody<T, E extends Exception> {

    /**
     * Does the work.
     *
     * @param lease the lease that protects it
     * @return the result
     * @throws E if the work failed; the lock is released all the same
     */
    T call(Lease lease) throws E;
}
