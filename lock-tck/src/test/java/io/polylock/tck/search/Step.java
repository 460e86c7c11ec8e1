// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck.search;

/** Something that happens to one node. */
sealed interface Step {

    /** Phase 1 of an attempt arrives. */
    record Join(int attempt) implements Step {}

    /** Phase 2 of an attempt arrives. */
    record Confirm(int attempt, long token, String incarnation) implements Step {}

    /** The release of an attempt arrives. */
    record Release(int attempt) implements Step {}

    /** The node acts or suffers on its own. */
    enum Fault implements Step {
        /** The lock is gone: expired, evicted, revoked or undone. */
        LOSES_LOCK,
        /** The fencing counter is gone. */
        LOSES_COUNTER,
        /** Everything is gone. */
        RESTARTS_EMPTY
    }
}
