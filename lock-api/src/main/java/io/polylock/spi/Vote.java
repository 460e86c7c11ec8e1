// SPDX-License-Identifier: Apache-2.0
package io.polylock.spi;

import io.polylock.internal.Checks;
import java.time.Duration;
import java.util.Objects;

/** The answer of one node of a quorum. */
public sealed interface Vote {

    /** The answer to {@link QuorumMember#join}: {@link Joined} or {@link Acquisition.Contended}. */
    sealed interface Join extends Vote permits Joined, Acquisition.Contended {}

    /** The answer to {@link QuorumMember#confirm}. */
    sealed interface Confirmation extends Vote {}

    /**
     * The lock is the asker's on this node.
     *
     * @param token the token that this node minted and stored: positive, below {@link Fencing#TOKEN_LIMIT}
     * @param incarnation the random id of this node's memory, made in the same step if there was none; two nodes with one
     *     id are one store listed twice
     * @param age how long this memory has existed, by the node's clock; a young node may have lost an older one
     * @param clockMicros the node's clock in microseconds since 1970, to measure how far nodes are apart
     */
    record Joined(long token, String incarnation, Duration age, long clockMicros) implements Join {

        /** Checks the ranges. */
        public Joined {
            Objects.requireNonNull(incarnation, "incarnation");
            Objects.requireNonNull(age, "age");
            Checks.fencingToken(token);
        }
    }

    /** The number is stored, and the lock is still the asker's on this node. */
    record Confirmed() implements Confirmation {}

    /**
     * The number was not stored.
     *
     * @param reason why not
     */
    record Refused(Reason reason) implements Confirmation {

        /** Why a node refused to confirm. */
        public enum Reason {
            /** The lock is not, or no longer, the asker's. */
            NOT_OWNER,
            /** The node has lost its memory since phase 1, or the stored token. */
            FORGOTTEN,
            /** The stored token is larger. */
            OUTDATED,
            /** The number read as a time is too far ahead of the node's clock. */
            AHEAD_OF_CLOCK
        }
    }
}
