// SPDX-License-Identifier: Apache-2.0
package io.polylock.spi;

import io.polylock.internal.Checks;
import java.time.Duration;
import java.util.Objects;

/**
 * One question to a backend.
 *
 * @param name which lock
 * @param owner which attempt
 * @param label who asks, for the eyes of an operator: at most 255 code points, well-formed, no control characters, may be empty
 * @param ttl how long the store keeps the lock if nothing renews it: 10 ms to 365 days
 * @param answerWithin after this time the backend MUST have answered or thrown: positive, at most 365 days
 */
public record LockRequest(LockName name, OwnerToken owner, String label, Duration ttl, Duration answerWithin) {

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a value is out of its range; the message says which
     */
    public LockRequest {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(owner, "owner");
        Checks.label(label);
        Checks.ttl(ttl);
        Checks.answerWithin(answerWithin);
    }

    /**
     * The same question with another TTL.
     *
     * @param other 10 ms to 365 days
     */
    public LockRequest withTtl(Duration other) {
        return new LockRequest(name, owner, label, other, answerWithin);
    }

    /**
     * The same question with another bound on the answer.
     *
     * @param bound positive
     */
    public LockRequest withAnswerWithin(Duration bound) {
        return new LockRequest(name, owner, label, ttl, bound);
    }
}
