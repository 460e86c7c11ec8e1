// SPDX-License-Identifier: Apache-2.0
package io.polylock.explore;

/** What a step touches, as a set of bits. Two steps of different strands that touch nothing in common can change places. */
final class Footprint {

    static final long NOTHING = 0;
    static final long EVERYTHING = -1L;

    /** The records of the store. */
    static final long STORE = 1L << 62;

    /** Who believes to hold a lock: seen by the invariants between any two steps. */
    static final long BELIEF = 1L << 61;

    /** What scripts of actors have in common. */
    static final long SHARED = 1L << 60;

    private static final int SITES = 8;
    private static final int STRAND_BITS = 48;

    private Footprint() {}

    static long ofSite(int number) {
        return 1L << (number % SITES);
    }

    /** Two names may share a bit: then some orders are explored twice, and none is missed. */
    static long of(String name) {
        return 1L << (SITES + Math.floorMod(name.hashCode(), STRAND_BITS));
    }

    static boolean independent(long one, long other) {
        return (one & other) == 0;
    }
}
