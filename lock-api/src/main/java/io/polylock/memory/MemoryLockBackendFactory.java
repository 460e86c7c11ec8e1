// SPDX-License-Identifier: Apache-2.0
package io.polylock.memory;

import io.polylock.spi.BackendUrl;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockBackendFactory;
import io.polylock.spi.LockClock;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Opens {@code memory:name}. Thread-safe. */
public final class MemoryLockBackendFactory implements LockBackendFactory {

    private static final Map<String, Shared> STORES = new HashMap<>();

    private static final class Shared {
        private final MemoryStore store = MemoryStore.on(LockClock.system());
        private int clients;
    }

    /** For {@link java.util.ServiceLoader}. */
    public MemoryLockBackendFactory() {}

    @Override
    public Set<String> schemes() {
        return Set.of("memory");
    }

    @Override
    public LockBackend open(BackendUrl url) {
        url.requireOptions(Set.of());
        String name = url.path();
        if (name.isBlank() || !url.hosts().isEmpty()) {
            throw new IllegalArgumentException("a memory URL must be memory:name but was " + url);
        }
        synchronized (STORES) {
            Shared shared = STORES.computeIfAbsent(name, absent -> new Shared());
            shared.clients++;
            return MemoryLockBackend.shared(shared.store, () -> leave(name, shared));
        }
    }

    /** The last one out takes the store away, so that names do not pile up. */
    private static void leave(String name, Shared shared) {
        synchronized (STORES) {
            if (--shared.clients == 0) {
                STORES.remove(name);
            }
        }
    }
}
