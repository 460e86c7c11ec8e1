// SPDX-License-Identifier: Apache-2.0
package io.polylock;

/**
 * The loud end of a lease that was lost while its holder worked. Afterwards the lease is not held; what was done after the
 * loss was not protected, and others may have held the lock meanwhile.
 */
public final class LeaseLostException extends LockException {

    private static final long serialVersionUID = 1L;

    private final String lockName;
    private final LossCause lossCause;

    /**
     * Describes a loss.
     *
     * @param lockName the name of the lock
     * @param lossCause why the lease ended
     */
    public LeaseLostException(String lockName, LossCause lossCause) {
        super("the lease on lock '" + lockName + "' was lost before it was released (" + lossCause
                + "): what was done after that was not protected");
        this.lockName = lockName;
        this.lossCause = lossCause;
    }

    /** The name of the lock. */
    public String lockName() {
        return lockName;
    }

    /** Why the lease ended. */
    public LossCause lossCause() {
        return lossCause;
    }
}
