// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import io.polylock.LockManager;
import io.polylock.ManagerOptions;
import io.polylock.spi.BackendUrl;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockBackendFactory;
import java.util.ServiceLoader;

/** Whether the lock of the demo compares owners, as it must, or ignores them. */
enum Owners {
    COMPARED {
        @Override
        LockManager open(String url, ManagerOptions options) {
            return LockManager.open(url, options);
        }
    },
    IGNORED {
        @Override
        LockManager open(String url, ManagerOptions options) {
            LockManager.open(url, options).close(); // its checks, with its messages
            BackendUrl parsed = BackendUrl.parse(url);
            LockBackend backend = ServiceLoader.load(LockBackendFactory.class).stream()
                    .map(ServiceLoader.Provider::get)
                    .filter(factory -> factory.schemes().contains(parsed.scheme()))
                    .findFirst()
                    .orElseThrow()
                    .open(parsed);
            return LockManager.of(
                    CarelessLockBackend.of(backend)
                            .orElseThrow(() -> new IllegalArgumentException("--break takes locks away from their"
                                    + " holders, which the " + parsed.scheme() + " backend cannot do")),
                    options);
        }
    };

    /** A manager on the store that a URL names; does no I/O. */
    abstract LockManager open(String url, ManagerOptions options);
}
