// SPDX-License-Identifier: Apache-2.0
package io.polylock.explore;

/** Ends the threads of a schedule that is over. */
final class Unwound extends Error {

    private static final long serialVersionUID = 1L;

    Unwound() {
        super("the schedule is over", null, false, false);
    }
}
