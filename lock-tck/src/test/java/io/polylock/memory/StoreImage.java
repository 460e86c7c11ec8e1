// SPDX-License-Identifier: Apache-2.0
package io.polylock.memory;

import io.polylock.memory.MemoryRecords.Counter;
import io.polylock.memory.MemoryRecords.Image;
import io.polylock.memory.MemoryRecords.Incarnation;
import io.polylock.memory.MemoryRecords.Lock;
import io.polylock.spi.LockName;
import io.polylock.spi.OwnerToken;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The contents of a {@link MemoryStore} as a value: what a search puts back before it tries another way on. Lives in this
 * package because the contents are nobody else's business.
 */
public record StoreImage(Image image) {

    /** What the store holds now. */
    public static StoreImage of(MemoryStore store) {
        return new StoreImage(store.records().image());
    }

    /** Makes a store hold this, and nothing else. Its clock stays as it is. */
    public void restore(MemoryStore store) {
        store.records().become(image);
    }

    /** Who holds the lock, expired or not. */
    public Optional<OwnerToken> owner(LockName name) {
        return Optional.ofNullable(image.locks().get(name.value())).map(Lock::owner);
    }

    /** The stored fencing counter. */
    public OptionalLong counter(LockName name) {
        Counter counter = image.counters().get(name.value());
        return counter == null ? OptionalLong.empty() : OptionalLong.of(counter.token());
    }

    /** The same with the lock in the hands of another owner, for ever. */
    public StoreImage withOwner(LockName name, OwnerToken owner) {
        Map<String, Lock> locks = new HashMap<>(image.locks());
        locks.put(name.value(), new Lock(owner, "", Long.MAX_VALUE));
        return new StoreImage(new Image(Map.copyOf(locks), image.counters(), image.incarnation()));
    }

    /** The same with another fencing counter. */
    public StoreImage withCounter(LockName name, long token) {
        Map<String, Counter> counters = new HashMap<>(image.counters());
        counters.put(name.value(), new Counter(token, Long.MAX_VALUE));
        return new StoreImage(new Image(image.locks(), Map.copyOf(counters), image.incarnation()));
    }

    /** The incarnation's id, if there is one. */
    public Optional<String> incarnation() {
        return image.incarnation().map(Incarnation::id);
    }

    /** The same with another id of the incarnation, so that equal histories give equal images. */
    public StoreImage withIncarnation(String id) {
        Optional<Incarnation> renamed =
                image.incarnation().map(incarnation -> new Incarnation(id, incarnation.sinceMicros()));
        return new StoreImage(new Image(image.locks(), image.counters(), renamed));
    }
}
