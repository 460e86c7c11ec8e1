// SPDX-License-Identifier: Apache-2.0
package io.polylock.explore;

/** One way in which a strand can go on. */
record Way(String what, Cost cost) {

    /** What a way takes from the bounds of an exploration, besides the switch to its strand. */
    enum Cost {
        NONE,
        FAULT
    }

    static Way free(String what) {
        return new Way(what, Cost.NONE);
    }

    static Way fault(String what) {
        return new Way(what, Cost.FAULT);
    }
}
