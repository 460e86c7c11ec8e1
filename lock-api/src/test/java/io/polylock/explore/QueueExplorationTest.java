// SPDX-License-Identifier: Apache-2.0
package io.polylock.explore;

import static io.polylock.explore.Bounds.ALL_ORDERS;
import static io.polylock.explore.Check.holds;

import io.polylock.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Those who wait, through all orders: nobody is forgotten, nobody is served twice, and nobody's grant stays behind. */
@Tag("search")
class QueueExplorationTest {

    private static final Duration LONG = Duration.ofMinutes(5);
    /** The pauses of those who wait and of undos are longer than a request may be astray. */
    private static final Site.Make CALM = Site.Make.RIGHT.withPauses(Duration.ofSeconds(5));

    private static final Duration SHORT = Duration.ofSeconds(1);

    /** Waits, holds for no time, releases; it must have been served. */
    private static void mustGet(Scene scene, Site site, String who) {
        List<Boolean> served = new ArrayList<>();
        scene.actor(who, () -> {
            Optional<Hold> hold = site.acquireAtOnce(Site.OPTIONS, LONG);
            hold.ifPresent(Hold::release);
            served.add(hold.isPresent());
        });
        scene.atTheEnd(() -> served.equals(List.of(true)) || site.closing() ? "" : who + " was not served");
    }

    private static void mayGet(Scene scene, Site site, String who, Duration wait) {
        scene.actor(who, () -> site.acquire(Site.OPTIONS, wait).ifPresent(Hold::release));
    }

    static void oneWaiter(Scene scene) throws InterruptedException {
        Site site = scene.site("m", CALM);
        Hold hold = site.held(Site.OPTIONS);
        scene.actor("holder", hold::release);
        mustGet(scene, site, "waiter");
    }

    @Test
    void aWaiterOfTheSameManager() {
        holds("release, waiter", ALL_ORDERS, QueueExplorationTest::oneWaiter);
    }

    static void twoWaiters(Scene scene) throws InterruptedException {
        Site site = scene.site("m", CALM);
        Hold hold = site.held(Site.OPTIONS);
        scene.actor("holder", hold::release);
        mustGet(scene, site, "one");
        mustGet(scene, site, "two");
    }

    @Test
    void twoWaitersOfTheSameManager() {
        holds("release, two waiters", ALL_ORDERS, QueueExplorationTest::twoWaiters);
    }

    static void anotherManager(Scene scene) throws InterruptedException {
        Hold hold = scene.site("m", CALM).held(Site.OPTIONS);
        Site other = scene.site("n", CALM);
        scene.actor("holder", hold::release);
        mustGet(scene, other, "waiter");
    }

    @Test
    void aWaiterOfAnotherManager() {
        holds("release, waiter elsewhere", ALL_ORDERS, QueueExplorationTest::anotherManager);
        holds("release, waiter elsewhere, a fault", ALL_ORDERS.withFaults(1), QueueExplorationTest::anotherManager);
    }

    static void both(Scene scene) throws InterruptedException {
        Site site = scene.site("m", CALM);
        Hold hold = site.held(Site.OPTIONS);
        Site other = scene.site("n", CALM);
        scene.actor("holder", hold::release);
        mustGet(scene, site, "here");
        mustGet(scene, other, "there");
    }

    @Test
    void waitersOfTwoManagers() {
        holds("release, waiters here and there", ALL_ORDERS, QueueExplorationTest::both);
    }

    static void heirTimesOut(Scene scene) throws InterruptedException {
        Site site = scene.site("m", CALM);
        Hold hold = site.held(Site.OPTIONS);
        scene.actor("holder", () -> {
            scene.pass(SHORT);
            hold.release();
        });
        mayGet(scene, site, "heir", SHORT);
    }

    @Test
    void anHeirWhoseTimeIsUp() {
        holds("release, heir times out", ALL_ORDERS, QueueExplorationTest::heirTimesOut);
        holds("release, heir times out, a fault", ALL_ORDERS.withFaults(1), QueueExplorationTest::heirTimesOut);
    }

    static void heirIsInterrupted(Scene scene) throws InterruptedException {
        Site site = scene.site("m", CALM);
        Hold hold = site.held(Site.OPTIONS);
        scene.actor("holder", hold::release);
        mayGet(scene, site, "heir", LONG);
        scene.actor("interrupter", () -> scene.interrupt("heir"));
    }

    @Test
    void anHeirThatIsInterrupted() {
        holds("release, heir interrupted", ALL_ORDERS, QueueExplorationTest::heirIsInterrupted);
    }

    static void theNextAfterAnInterrupt(Scene scene) throws InterruptedException {
        Site site = scene.site("m", CALM);
        Hold hold = site.held(Site.OPTIONS);
        scene.actor("holder", hold::release);
        mayGet(scene, site, "heir", LONG);
        scene.actor("interrupter", () -> scene.interrupt("heir"));
        mustGet(scene, site, "next");
    }

    @Test
    void theNextInLineAfterAnHeirThatIsInterrupted() {
        holds("release, heir interrupted, next", ALL_ORDERS, QueueExplorationTest::theNextAfterAnInterrupt);
    }

    static void interruptedElsewhere(Scene scene) throws InterruptedException {
        Hold hold = scene.site("m", CALM).held(Site.OPTIONS);
        Site other = scene.site("n", CALM);
        scene.actor("holder", hold::release);
        mayGet(scene, other, "head", LONG);
        scene.actor("interrupter", () -> scene.interrupt("head"));
        mustGet(scene, other, "next");
    }

    static void cancelled(Scene scene) throws InterruptedException {
        Site site = scene.site("m", CALM);
        Hold hold = site.held(Site.OPTIONS);
        scene.actor("holder", hold::release);
        scene.actor("asker", () -> {
            CompletableFuture<Lease> future = site.acquireAsync(Site.OPTIONS, LONG);
            scene.actor("canceller", () -> {
                scene.step("cancels");
                future.cancel(true);
            });
            site.await(future).ifPresent(Hold::release);
        });
    }

    @Test
    void aFutureThatIsCancelled() {
        holds("release, future, cancel", ALL_ORDERS, QueueExplorationTest::cancelled);
    }

    static void future(Scene scene) throws InterruptedException {
        Site site = scene.site("m", CALM);
        Hold hold = site.held(Site.OPTIONS);
        scene.actor("holder", hold::release);
        scene.actor("asker", () -> {
            Optional<Hold> got = site.await(site.acquireAsync(Site.OPTIONS, LONG));
            got.ifPresent(Hold::release);
            if (got.isEmpty()) {
                scene.schedule().object("the future failed");
            }
        });
    }

    @Test
    void aFuture() {
        holds("release, future", ALL_ORDERS, QueueExplorationTest::future);
    }

    static void closing(Scene scene) throws InterruptedException {
        Site site = scene.site("m", CALM);
        Hold hold = site.held(Site.OPTIONS);
        scene.actor("holder", hold::release);
        mayGet(scene, site, "heir", LONG);
        scene.actor("closer", site::close);
    }

    @Test
    void aManagerThatCloses() {
        holds("release, heir, close", ALL_ORDERS, QueueExplorationTest::closing);
    }

    static void taken(Scene scene) throws InterruptedException {
        Site site = scene.site("m", CALM);
        Hold hold = site.held(Site.OPTIONS);
        scene.actor("holder", hold::release);
        scene.actor("operator", scene::evict);
        mayGet(scene, site, "heir", LONG);
    }

    @Test
    void aLockThatIsRevokedBeforeItIsHandedOver() {
        holds("release, eviction, heir", ALL_ORDERS, QueueExplorationTest::taken);
    }

    static void expired(Scene scene) throws InterruptedException {
        Site site = scene.site("m", CALM);
        Hold hold = site.held(Site.OPTIONS.withTtl(Duration.ofSeconds(60)));
        scene.actor("holder", () -> {
            scene.pass(Duration.ofMillis(60_000 - 600 - 2));
            hold.close();
        });
        mayGet(scene, site, "heir", LONG);
    }

    static void overtaken(Scene scene) throws InterruptedException {
        Site site = scene.site("m", CALM);
        Hold hold = site.held(Site.OPTIONS);
        scene.actor("holder", hold::release);
        scene.actor("overtaker", () -> site.tryAcquire(Site.OPTIONS).ifPresent(Hold::release));
        mayGet(scene, site, "heir", LONG);
    }

    @Test
    void somebodyWhoOvertakes() {
        holds("release, overtaker, heir", ALL_ORDERS, QueueExplorationTest::overtaken);
    }
}
