// SPDX-License-Identifier: Apache-2.0
package io.polylock;

import io.polylock.internal.Engine;
import io.polylock.internal.Numbers;
import io.polylock.spi.LockBackend;

/** Managers whose engine lives by other numbers than it should. */
public final class WrongManagers {

    private WrongManagers() {}

    public static LockManager with(LockBackend backend, ManagerOptions options, Numbers numbers) {
        return new LockManager(new Engine(backend, options, numbers));
    }
}
