// SPDX-License-Identifier: Apache-2.0
package io.polylock;

/** The root of what goes wrong with a lock at run time; misuse is {@link IllegalArgumentException} instead. */
public abstract sealed class LockException extends RuntimeException
        permits LockTimeoutException, LeaseLostException, LockBackendException {

    private static final long serialVersionUID = 1L;

    LockException(String message) {
        super(message);
    }

    LockException(String message, Throwable cause) {
        super(message, cause);
    }
}
