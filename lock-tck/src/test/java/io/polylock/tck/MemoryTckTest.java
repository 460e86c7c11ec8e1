// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import io.polylock.memory.MemoryLockBackend;
import io.polylock.memory.MemoryStore;
import io.polylock.memory.VirtualClock;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockClock;
import java.time.Duration;
import java.util.Optional;

/** The reference backend keeps every rule. */
class MemoryTckTest extends LockBackendTck {

    private final VirtualClock clock = new VirtualClock();
    private final MemoryStore store = MemoryStore.on(clock);

    @Override
    protected LockBackend createBackend() {
        return MemoryLockBackend.of(store);
    }

    @Override
    protected Optional<LockBackend> createUnreachableBackend() {
        MemoryStore unreachable = MemoryStore.on(clock);
        unreachable.setNetwork(MemoryStore.Network.REFUSES);
        return Optional.of(MemoryLockBackend.of(unreachable));
    }

    @Override
    protected StoreFaults faults() {
        return new StoreFaults() {
            @Override
            public Done restartEmpty() {
                store.restartEmpty();
                return Done.DONE;
            }

            @Override
            public Done moveClock(Duration offset) {
                store.moveClock(offset);
                return Done.DONE;
            }
        };
    }

    @Override
    protected LockClock clock() {
        return clock;
    }
}
