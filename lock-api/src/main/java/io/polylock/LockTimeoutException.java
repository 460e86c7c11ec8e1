// SPDX-License-Identifier: Apache-2.0
package io.polylock;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a wait that ended while somebody else held the lock. Afterwards no lease is held; what an
 * unanswered attempt of the same wait may have left is being undone.
 */
public final class LockTimeoutException extends LockException {

    private static final long serialVersionUID = 1L;

    private final String lockName;
    private final Duration waited;
    private final @Nullable Duration freeIn;
    private final @Nullable String holderLabel;

    /**
     * Describes a wait that was in vain.
     *
     * @param lockName the name that was wanted
     * @param waited how long the caller waited
     * @param freeIn what was left of the holder's TTL at the last look, if the store told
     * @param holderLabel the holder's label, if the store told
     */
    public LockTimeoutException(
            String lockName, Duration waited, Optional<Duration> freeIn, Optional<String> holderLabel) {
        super("lock '" + lockName + "' was not free within " + waited
                + holderLabel.map(label -> "; held by " + label).orElse("")
                + freeIn.map(left -> "; its TTL ends in " + left + " unless renewed")
                        .orElse(""));
        this.lockName = lockName;
        this.waited = waited;
        this.freeIn = freeIn.orElse(null); // an Optional cannot be serialized
        this.holderLabel = holderLabel.orElse(null);
    }

    /** The name that was wanted. */
    public String lockName() {
        return lockName;
    }

    /** How long the caller waited. */
    public Duration waited() {
        return waited;
    }

    /** What was left of the holder's TTL at the last look, if the store told. */
    public Optional<Duration> freeIn() {
        return Optional.ofNullable(freeIn);
    }

    /** The label of the holder at the last look, if the store told. */
    public Optional<String> holderLabel() {
        return Optional.ofNullable(holderLabel);
    }
}
