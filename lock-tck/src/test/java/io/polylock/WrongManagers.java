// SPDX-License-Identifier: Apache-2.0
package io.polylock;

import io.polylock.internal.Engine;
import io.polylock.internal.Numbers;
import io.polylock.spi.LockBackend;

/** Managers whose engine is not what it should be. */
public final class WrongManagers {

    private WrongManagers() {}

    public static LockManager of(Engine engine) {
        return new LockManager(engine);
    }

    public static LockManager with(LockBackend backend, ManagerOptions options, Numbers numbers) {
        return of(new Engine(backend, options, numbers));
    }
}
