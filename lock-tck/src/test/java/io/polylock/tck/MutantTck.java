// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import io.polylock.LockManager;
import io.polylock.ManagerOptions;
import io.polylock.spi.LockBackend;

/** The kit on a wrong backend or engine. Run by {@link MutantsTest} alone, so its name hides it from the build. */
class MutantTck extends MemoryTckTest {

    /** The defect to run with; the kit makes a new instance of this class for every rule. */
    static volatile Mutant seeded = Mutant.ofBackend("none", "no defect", "", (backend, lab) -> backend);

    @Override
    protected LockBackend createBackend() {
        return seeded.backend().seed(super.createBackend(), lab);
    }

    @Override
    LockManager createManager(LockBackend backend, ManagerOptions options) {
        return seeded.manager().seed(backend, options, lab);
    }
}
