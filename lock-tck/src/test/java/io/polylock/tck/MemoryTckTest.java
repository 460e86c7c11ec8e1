// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import io.polylock.spi.LockBackend;
import io.polylock.spi.LockClock;
import java.util.Optional;

/** The reference backend keeps every rule. */
class MemoryTckTest extends LockBackendTck {

    final Lab lab = new Lab();

    @Override
    protected LockBackend createBackend() {
        return lab.client();
    }

    @Override
    protected Optional<LockBackend> createUnreachableBackend() {
        return lab.unreachableClient();
    }

    @Override
    protected StoreFaults faults() {
        return lab;
    }

    @Override
    protected LockClock clock() {
        return lab.clock;
    }
}
