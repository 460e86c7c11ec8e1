// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import io.polylock.LockManager;
import io.polylock.ManagerOptions;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockClock;
import java.util.Optional;

/** The kit on a wrong backend. Run by {@link MutantsTest} alone, so its name hides it from the build. */
class MutantTck extends LockBackendTck {

    /** The defect to run with; the kit makes a new instance of this class for every rule. */
    static volatile Mutant seeded = Mutant.ofBackend("none", "no defect", "", (backend, lab) -> backend);

    private final Lab lab = new Lab();

    @Override
    protected LockBackend createBackend() {
        return seeded.backend().seed(lab.client(), lab);
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

    @Override
    LockManager createManager(LockBackend backend, ManagerOptions options) {
        return seeded.manager().seed(backend, options, lab);
    }
}
