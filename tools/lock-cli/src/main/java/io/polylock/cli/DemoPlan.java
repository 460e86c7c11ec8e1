// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import java.time.Duration;

/**
 * What the demo is to do.
 *
 * @param url the store; may hold a password
 * @param lockName the lock that all want
 * @param workers how many want it
 * @param length how long they work, about
 * @param owners whether the lock compares owners
 */
record DemoPlan(String url, String lockName, int workers, Duration length, Owners owners) {

    /** Short, so that an expiry is seen soon; no application would take so little. */
    static final Duration TTL = Duration.ofSeconds(1);

    static final int FEWEST_WORKERS = 4;
    static final int MOST_WORKERS = 20;
    static final int SHORTEST_SECONDS = 5;
    static final int LONGEST_SECONDS = 600;

    /**
     * How long a worker thinks under the lock, at least; half as long again at most. A worker that ignores owners thinks for
     * longer than any waiter pauses, so that whoever comes in beside it comes in time.
     */
    Duration thinking() {
        return owners == Owners.COMPARED ? Duration.ofMillis(250) : Duration.ofMillis(1_300);
    }
}
