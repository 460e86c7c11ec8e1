// SPDX-License-Identifier: Apache-2.0
package io.polylock.explore;

import static io.polylock.explore.Bounds.ALL_ORDERS;
import static io.polylock.explore.Check.holds;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The small cases again, with more that goes wrong in one schedule. */
@Tag("full")
class LargeExplorationTest {

    @Test
    void leases() {
        holds("two releases, faults", ALL_ORDERS.withFaults(2), LeaseExplorationTest::twoReleases);
        holds("release, renewal, faults", ALL_ORDERS.withFaults(2), LeaseExplorationTest::releaseAndRenewal);
        holds("release just before expiry, slower", ALL_ORDERS.withSlow(2), LeaseExplorationTest::justBeforeExpiry);
        holds("interrupt, acquire, faults", ALL_ORDERS.withFaults(2), LeaseExplorationTest::interruptAndAcquire);
        holds("two managers compete, faults", ALL_ORDERS.withFaults(2), LeaseExplorationTest::twoManagersCompete);
        holds("acquire, renewal, release, faults", ALL_ORDERS.withFaults(2), LeaseExplorationTest::wholeLife);
    }

    @Test
    void undos() {
        holds("unknown acquire, faults", ALL_ORDERS.withFaults(3), UndoExplorationTest::unknownAcquire);
        holds("unknown acquire, slower", ALL_ORDERS.withFaults(1).withSlow(2), UndoExplorationTest::unknownAcquire);
        holds("unknown acquire, successor, faults", ALL_ORDERS.withFaults(2), UndoExplorationTest::successor);
    }

    @Test
    void queues() {
        holds("expiry, release, heir", ALL_ORDERS, QueueExplorationTest::expired);
        holds("release, head elsewhere interrupted, next", ALL_ORDERS, QueueExplorationTest::interruptedElsewhere);
        holds("release, heir times out, slow", ALL_ORDERS.withSlow(1), QueueExplorationTest::heirTimesOut);
    }
}
