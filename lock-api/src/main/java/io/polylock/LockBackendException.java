// SPDX-License-Identifier: Apache-2.0
package io.polylock;

import java.util.Objects;

/**
 * A request to a store that got no answer, or a refusal. {@link #outcome()} says what is known: it is never "acquired" and
 * never "contended". Thrown by backends; an application sees it from
 * {@link DistributedLock#acquire}, after which no lease is held and anything that may have been stored is being undone.
 */
public final class LockBackendException extends LockException {

    private static final long serialVersionUID = 1L;

    /** What is known about a request that got no proper answer. */
    public enum Outcome {
        /** The request changed nothing, or was given back; a later one may succeed (no connection, server loading). */
        NOT_APPLIED,
        /** The request certainly changed nothing, and repeating it will not help (authentication, missing table, bad option). */
        REFUSED,
        /** The request was sent and may or may not have been applied. */
        UNKNOWN
    }

    private final Outcome outcome;

    /**
     * A failure with its cause.
     *
     * @param outcome what is known about the request
     * @param message one sentence without any credential
     * @param cause what the store's client threw
     */
    public LockBackendException(Outcome outcome, String message, Throwable cause) {
        super(message, cause);
        this.outcome = Objects.requireNonNull(outcome, "outcome");
    }

    /**
     * A failure that no other exception caused.
     *
     * @param outcome what is known about the request
     * @param message one sentence without any credential
     */
    public LockBackendException(Outcome outcome, String message) {
        super(message);
        this.outcome = Objects.requireNonNull(outcome, "outcome");
    }

    /** What is known about the request. */
    public Outcome outcome() {
        return outcome;
    }
}
