// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.spi.BackendUrl;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockBackendFactory;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Finds the backend for a URL: in the thread's context class loader, then in our own. */
public final class Discovery {

    private static final Map<String, String> ARTIFACTS = Map.of("redis", "io.polylock:lock-redis-simple");

    /** The iterator of a service loader does not promise to get past an error. */
    private static final int MOST_BROKEN = 16;

    private Discovery() {}

    public static LockBackend open(BackendUrl url) {
        List<String> broken = new ArrayList<>();
        List<LockBackendFactory> found = new ArrayList<>(factories(broken).values());
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
                    + (artifact == null ? "" : "; add " + artifact)
                    + (broken.isEmpty() ? "" : "; cannot be loaded: " + String.join("; ", broken)));
        }
        return matching.get(0).open(url);
    }

    private static Map<String, LockBackendFactory> factories(List<String> broken) {
        Map<String, LockBackendFactory> factories = new LinkedHashMap<>();
        collect(Thread.currentThread().getContextClassLoader(), factories, broken);
        collect(Discovery.class.getClassLoader(), factories, broken);
        return factories;
    }

    /** A backend that cannot be loaded, such as one without its client's jar, must not hide the others. */
    private static void collect(
            @Nullable ClassLoader loader, Map<String, LockBackendFactory> factories, List<String> broken) {
        Iterator<LockBackendFactory> services =
                ServiceLoader.load(LockBackendFactory.class, loader).iterator();
        while (broken.size() < MOST_BROKEN) {
            try {
                if (!services.hasNext()) {
                    return;
                }
                LockBackendFactory factory = services.next();
                factories.putIfAbsent(factory.getClass().getName(), factory);
            } catch (ServiceConfigurationError | LinkageError e) {
                broken.add(String.valueOf(e.getMessage()));
            }
        }
    }
}
