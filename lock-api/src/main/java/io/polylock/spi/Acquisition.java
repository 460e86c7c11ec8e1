// SPDX-License-Identifier: Apache-2.0
package io.polylock.spi;

import io.polylock.internal.Checks;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/** The answer to an attempt to acquire. */
public sealed interface Acquisition {

    /**
     * The lock is the asker's, for its TTL from the moment in which the store decided.
     *
     * @param fencingToken the number of this grant; present exactly if the backend declares {@link Fencing}
     */
    record Granted(OptionalLong fencingToken) implements Acquisition {

        /** Checks that the token is positive and below {@link Fencing#TOKEN_LIMIT}. */
        public Granted {
            fencingToken.ifPresent(Checks::fencingToken);
        }
    }

    /**
     * Another owner holds the lock.
     *
     * @param freeIn what is left of the holder's TTL, if the store tells; empty if the record has no end
     */
    record Contended(Optional<Duration> freeIn) implements Acquisition, Vote.Join {

        /** Refuses null; a time that is over counts as zero. */
        public Contended {
            freeIn = Objects.requireNonNull(freeIn, "freeIn").map(left -> left.isNegative() ? Duration.ZERO : left);
        }
    }
}
