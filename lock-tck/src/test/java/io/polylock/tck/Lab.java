// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import io.polylock.memory.MemoryLockBackend;
import io.polylock.memory.MemoryStore;
import io.polylock.memory.VirtualClock;
import io.polylock.spi.LockBackend;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** A memory store on a virtual clock, with what the kit can do to it: the place where the kit itself is tested. */
final class Lab implements StoreFaults {

    final VirtualClock clock = new VirtualClock();
    final MemoryStore store = MemoryStore.on(clock);

    /** What the clients of a wrong backend share, as they would share a store. */
    final Map<String, Object> shared = new ConcurrentHashMap<>();

    private Duration storeOffset = Duration.ZERO;

    LockBackend client() {
        return MemoryLockBackend.of(store);
    }

    Optional<LockBackend> unreachableClient() {
        MemoryStore unreachable = MemoryStore.on(clock);
        unreachable.setNetwork(MemoryStore.Network.REFUSES);
        return Optional.of(MemoryLockBackend.of(unreachable));
    }

    long storeMicros() {
        return clock.nanoTime() / 1_000 + Duration.ofDays(365).toNanos() / 1_000 + storeOffset.toNanos() / 1_000;
    }

    /** Lets time pass in the middle of something. */
    void pass(Duration duration) {
        try {
            clock.pass(duration);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Done restartEmpty() {
        store.restartEmpty();
        shared.clear();
        return Done.DONE;
    }

    @Override
    public Done hang() {
        store.setNetwork(MemoryStore.Network.LOSES_REPLIES);
        return Done.DONE;
    }

    @Override
    public Done resume() {
        store.setNetwork(MemoryStore.Network.UP);
        return Done.DONE;
    }

    @Override
    public Done moveClock(Duration offset) {
        store.moveClock(offset);
        storeOffset = storeOffset.plus(offset);
        return Done.DONE;
    }
}
