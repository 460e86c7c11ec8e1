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

    static void unknownAcquire(Scene scene) {
        Site site = scene.site("m");
        scene.actor("caller", () -> site.tryAcquire(Site.OPTIONS));
    }

    @Test
    void unknownAcquireAndASuccessor() {
        holds("unknown acquire, successor", ALL_ORDERS.withFaults(1), UndoExplorationTest::successor);
    }

    static void successor(Scene scene) {
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
    void roomAgain() {
        holds("room for one undo, 2 unknown acquires in turn", ALL_ORDERS.withFaults(2), scene -> {
            Site site = scene.site("m", Make.RIGHT.withUndoCapacity(1));
            scene.actor("caller", () -> {
                site.tryAcquire(Site.OPTIONS).ifPresent(Hold::release);
                scene.pass(Duration.ofSeconds(10));
                site.tryAcquire(Site.OPTIONS);
            });
        });
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
}
