// SPDX-License-Identifier: Apache-2.0
package io.polylock.spi;

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

        /** Checks that the token is positive. */
        public Granted {
            if (fencingToken.isPresent() && fencingToken.getAsLong() <= 0) {
                throw new IllegalArgumentException("a fencing token must be positive but was " + fencingToken);
            }
        }
    }

    /**
     * Another owner holds the lock.
     *
     * @param freeIn what is left of the holder's TTL, if the store tells; empty if the record has no end
     */
    record Contended(Optional<Duration> freeIn) implements Acquisition {

        /** Refuses null; a time that is over counts as zero. */
        public Contended {
            freeIn = Objects.requireNonNull(freeIn, "freeIn").map(left -> left.isNegative() ? Duration.ZERO : left);
        }
    }
}
