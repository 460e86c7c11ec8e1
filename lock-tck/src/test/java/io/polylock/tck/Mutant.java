// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import io.polylock.LockManager;
import io.polylock.ManagerOptions;
import io.polylock.spi.LockBackend;

/**
 * One small defect, and the rule that is there to find it.
 *
 * @param id a short name
 * @param defect what is wrong
 * @param rule the rule that must fail
 * @param backend seeds the defect into a client of the store
 * @param manager seeds the defect into the engine
 */
record Mutant(String id, String defect, String rule, BackendDefect backend, EngineDefect manager) {

    /** Makes a client wrong. */
    @FunctionalInterface
    interface BackendDefect {
        LockBackend seed(LockBackend correct, Lab lab);
    }

    /** Makes a manager wrong. */
    @FunctionalInterface
    interface EngineDefect {
        LockManager seed(LockBackend backend, ManagerOptions options, Lab lab);
    }

    static Mutant ofBackend(String id, String defect, String rule, BackendDefect seed) {
        return new Mutant(id, defect, rule, seed, (backend, options, lab) -> LockManager.of(backend, options));
    }

    static Mutant ofEngine(String id, String defect, String rule, EngineDefect seed) {
        return new Mutant(id, defect, rule, (backend, lab) -> backend, seed);
    }

    @Override
    public String toString() {
        return id + ": " + defect;
    }
}
