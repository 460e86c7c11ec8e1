// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.spi.BackendUrl;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockBackendFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Finds the backend for a URL: in the thread's context class loader, then in our own. */
public final class Discovery {

    private static final Map<String, String> ARTIFACTS = Map.of(
            "redis", "io.polylock:lock-redis-simple",
            "rediss", "io.polylock:lock-redis-simple",
            "valkey", "io.polylock:lock-redis-simple",
            "redisson", "io.polylock:lock-redisson",
            "redissons", "io.polylock:lock-redisson",
            "redlock", "io.polylock:lock-redlock",
            "jdbc", "io.polylock:lock-jdbc");

    private Discovery() {}

    public static LockBackend open(BackendUrl url) {
        List<LockBackendFactory> found = new ArrayList<>(factories().values());
        List<LockBackendFactory> matching = found.stream()
                .filter(factory -> factory.schemes().contains(url.scheme()))
                .toList();
        if (matching.size() > 1) {
            throw new IllegalArgumentException("more than one backend opens " + url.scheme() + " URLs: "
                    + String.join(
                            ", ",
                            matching.stream()
                                    .map(factory -> factory.getClass().getName())
                                    .toList()));
        }
        if (matching.isEmpty()) {
            TreeSet<String> schemes = new TreeSet<>();
            found.forEach(factory -> schemes.addAll(factory.schemes()));
            String artifact = ARTIFACTS.get(url.scheme());
            throw new IllegalArgumentException("no backend on the class path opens " + url.scheme() + " URLs; found: "
                    + String.join(", ", schemes)
                    + (artifact == null ? "" : "; add " + artifact));
        }
        return matching.get(0).open(url);
    }

    private static Map<Class<?>, LockBackendFactory> factories() {
        Map<Class<?>, LockBackendFactory> factories = new LinkedHashMap<>();
        collect(Thread.currentThread().getContextClassLoader(), factories);
        collect(Discovery.class.getClassLoader(), factories);
        return factories;
    }

    private static void collect(@Nullable ClassLoader loader, Map<Class<?>, LockBackendFactory> factories) {
        try {
            for (LockBackendFactory factory : ServiceLoader.load(LockBackendFactory.class, loader)) {
                factories.putIfAbsent(factory.getClass(), factory);
            }
        } catch (ServiceConfigurationError e) {
            throw new IllegalArgumentException("a backend on the class path cannot be loaded: " + e.getMessage(), e);
        }
    }
}
