// SPDX-License-Identifier: Apache-2.0
package io.polylock.spi;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Who holds a lock, as an operator may see it.
 *
 * @param name the name of the lock, as far as the store can tell it
 * @param ownerHint the first eight digits of the owner token; of a foreign record, the first eight characters of its value
 * @param label the holder's label; empty if the store keeps none
 * @param remaining what is left of the TTL; empty if the record has no end
 * @param fencingToken the holder's token; empty if none is kept
 */
public record Holder(
        String name,
        String ownerHint,
        Optional<String> label,
        Optional<Duration> remaining,
        OptionalLong fencingToken) {

    /** Refuses nulls. */
    public Holder {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(ownerHint, "ownerHint");
        Objects.requireNonNull(label, "label");
        Objects.requireNonNull(remaining, "remaining");
        Objects.requireNonNull(fencingToken, "fencingToken");
    }
}
