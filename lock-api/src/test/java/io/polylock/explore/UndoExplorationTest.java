// SPDX-License-Identifier: Apache-2.0
package io.polylock.explore;

import static io.polylock.explore.Bounds.ALL_ORDERS;
import static io.polylock.explore.Check.holds;

import io.polylock.explore.Site.Make;
import io.polylock.memory.MemoryStore.Network;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of unknown outcomes, in all orders: also of requests that arrive after their undo. */
@Tag("search")
class UndoExplorationTest {

    @Test
    void unknownAcquire() {
        holds("unknown acquire", ALL_ORDERS.withFaults(1), UndoExplorationTest::unknownAcquire);
        holds("unknown acquire, slow", ALL_ORDERS.withFaults(1).withSlow(1), UndoExplorationTest::unknownAcquire);
    }

    private static void unknownAcquire(Scene scene) {
        Site site = scene.site("m");
        scene.actor("caller", () -> site.tryAcquire(Site.OPTIONS));
    }

    @Test
    void unknownAcquireAndASuccessor() {
        holds("unknown acquire, successor", ALL_ORDERS.withFaults(1), UndoExplorationTest::successor);
    }

    private static void successor(Scene scene) {
        Site site = scene.site("m");
        Site other = scene.site("n");
        scene.actor("caller", () -> site.tryAcquire(Site.OPTIONS).ifPresent(Hold::close));
        scene.actor("successor", () -> {
            scene.pass(Site.ANSWER_WITHIN);
            other.tryAcquire(Site.OPTIONS).ifPresent(Hold::close);
        });
    }

    @Test
    void unknownReleaseThatIsReleasedAgain() {
        holds("unknown release, released again", ALL_ORDERS.withFaults(1), scene -> {
            Hold hold = scene.site("m").held(Site.OPTIONS);
            scene.actor("holder", () -> {
                hold.release();
                hold.close();
            });
        });
    }

    @Test
    void silentStoreThatComesBack() {
        holds("unknown release, store silent and back", ALL_ORDERS, scene -> {
            Hold hold = scene.site("m").held(Site.OPTIONS);
            scene.actor("holder", () -> {
                scene.network(Network.LOSES_REQUESTS);
                hold.release();
            });
            scene.actor("operator", () -> {
                scene.pass(Duration.ofSeconds(1));
                scene.network(Network.UP);
            });
        });
    }

    @Test
    void fullQueue() {
        for (int capacity = 1; capacity <= 2; capacity++) {
            Make small = Make.RIGHT.withUndoCapacity(capacity);
            holds("room for " + capacity + " undos, 2 unknown acquires", ALL_ORDERS.withFaults(1), scene -> {
                Site site = scene.site("m", small);
                for (String name : new String[] {"one", "other"}) {
                    scene.actor(name, () -> site.tryAcquire(Site.OPTIONS).ifPresent(Hold::release));
                }
            });
        }
    }

    @Test
    void closedMeanwhile() {
        holds("unknown acquire, close", ALL_ORDERS.withFaults(1), scene -> {
            Site site = scene.site("m");
            scene.actor("caller", () -> {
                site.tryAcquire(Site.OPTIONS).ifPresent(Hold::release);
                site.close();
            });
        });
    }

    @Test
    @Tag("full")
    void moreGoesWrong() {
        holds("unknown acquire, faults", ALL_ORDERS.withFaults(3), UndoExplorationTest::unknownAcquire);
        holds("unknown acquire, slower", ALL_ORDERS.withFaults(2).withSlow(2), UndoExplorationTest::unknownAcquire);
        holds("unknown acquire, successor, faults", ALL_ORDERS.withFaults(2), UndoExplorationTest::successor);
    }
}
