// SPDX-License-Identifier: Apache-2.0
package io.polylock.explore;

import static io.polylock.explore.Bounds.ALL_ORDERS;
import static io.polylock.explore.Check.holds;

import io.polylock.internal.LockOptions;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The life of a lease in all orders. */
@Tag("search")
class LeaseExplorationTest {

    /** When a lease is renewed for the first time. */
    private static final Duration RENEWAL = Site.RENEWED.ttl().dividedBy(3);

    private static final LockOptions SHORT = Site.OPTIONS.withTtl(Duration.ofSeconds(60));
    private static final Duration VALIDITY = Duration.ofMillis(60_000 - 600 - 2);

    @Test
    void twoReleases() {
        holds("two releases", ALL_ORDERS, LeaseExplorationTest::twoReleases);
        holds("two releases, a fault", ALL_ORDERS.withFaults(1), LeaseExplorationTest::twoReleases);
        holds("two releases, slow", ALL_ORDERS.withSlow(1), LeaseExplorationTest::twoReleases);
    }

    static void twoReleases(Scene scene) throws InterruptedException {
        Hold hold = scene.site("m").held(Site.OPTIONS);
        scene.actor("one", hold::release);
        scene.actor("other", hold::close);
    }

    @Test
    void releaseAndRenewal() {
        holds("release, renewal", ALL_ORDERS, LeaseExplorationTest::releaseAndRenewal);
        holds("release, renewal, a fault", ALL_ORDERS.withFaults(1), LeaseExplorationTest::releaseAndRenewal);
        holds("release, renewal, slow", ALL_ORDERS.withSlow(1), LeaseExplorationTest::releaseAndRenewal);
    }

    static void releaseAndRenewal(Scene scene) throws InterruptedException {
        Hold hold = scene.site("m").held(Site.RENEWED);
        scene.actor("holder", () -> {
            scene.pass(RENEWAL);
            hold.close();
        });
    }

    @Test
    void renewalAndEviction() {
        holds("renewal, eviction, release", ALL_ORDERS, LeaseExplorationTest::renewalAndEviction);
        holds(
                "renewal, eviction, release, a fault",
                ALL_ORDERS.withFaults(1),
                LeaseExplorationTest::renewalAndEviction);
    }

    static void renewalAndEviction(Scene scene) throws InterruptedException {
        Hold hold = scene.site("m").held(Site.RENEWED);
        scene.actor("operator", () -> {
            scene.pass(RENEWAL);
            scene.evict();
        });
        scene.actor("holder", () -> {
            scene.pass(RENEWAL);
            hold.release();
        });
    }

    @Test
    void renewalAndThief() {
        holds("renewal, theft, release", ALL_ORDERS, LeaseExplorationTest::renewalAndThief);
    }

    static void renewalAndThief(Scene scene) throws InterruptedException {
        Hold hold = scene.site("m").held(Site.RENEWED);
        scene.actor("thief", () -> {
            scene.pass(RENEWAL);
            scene.steal(Duration.ofMinutes(1));
        });
        scene.actor("holder", () -> {
            scene.pass(RENEWAL);
            hold.release();
        });
    }

    @Test
    void releaseAndExpiry() {
        holds("release, expiry", ALL_ORDERS, LeaseExplorationTest::releaseAndExpiry);
        holds("release, expiry, a fault", ALL_ORDERS.withFaults(1), LeaseExplorationTest::releaseAndExpiry);
    }

    static void releaseAndExpiry(Scene scene) throws InterruptedException {
        Hold hold = scene.site("m").held(SHORT);
        scene.actor("holder", () -> {
            scene.pass(VALIDITY);
            hold.close();
        });
    }

    @Test
    void releaseJustBeforeExpiry() {
        holds("release just before expiry, slow", ALL_ORDERS.withSlow(1), LeaseExplorationTest::justBeforeExpiry);
    }

    static void justBeforeExpiry(Scene scene) throws InterruptedException {
        Hold hold = scene.site("m").held(SHORT);
        scene.actor("holder", () -> {
            scene.pass(VALIDITY.minusSeconds(1));
            hold.close();
        });
    }

    @Test
    void successorAfterExpiry() {
        holds("expiry, successor", ALL_ORDERS, scene -> {
            Hold hold = scene.site("m").held(SHORT);
            Site other = scene.site("n");
            scene.actor("holder", () -> {
                scene.pass(VALIDITY);
                hold.close();
            });
            scene.actor("successor", () -> {
                scene.pass(VALIDITY);
                other.acquire(Site.OPTIONS, Duration.ofSeconds(5)).ifPresent(Hold::release);
            });
        });
    }

    @Test
    void closeAndRelease() {
        holds("close, release", ALL_ORDERS, LeaseExplorationTest::closeAndRelease);
        holds("close, release, a fault", ALL_ORDERS.withFaults(1), LeaseExplorationTest::closeAndRelease);
    }

    static void closeAndRelease(Scene scene) throws InterruptedException {
        Site site = scene.site("m");
        Hold hold = site.held(Site.RENEWED);
        scene.actor("closer", site::close);
        scene.actor("holder", hold::release);
    }

    @Test
    void closeAndLateRelease() {
        holds("close, release after the grace", ALL_ORDERS, scene -> {
            Site site = scene.site("m");
            Hold hold = site.held(Site.OPTIONS);
            scene.actor("closer", site::close);
            scene.actor("holder", () -> {
                scene.pass(Site.GRACE);
                hold.release();
            });
        });
    }

    @Test
    void closeAndAcquire() {
        holds("close, acquire", ALL_ORDERS, LeaseExplorationTest::closeAndAcquire);
        holds("close, acquire, slow", ALL_ORDERS.withSlow(1), LeaseExplorationTest::closeAndAcquire);
        holds("close, acquire, a fault", ALL_ORDERS.withFaults(1), LeaseExplorationTest::closeAndAcquire);
    }

    static void closeAndAcquire(Scene scene) {
        Site site = scene.site("m");
        scene.actor("closer", site::close);
        scene.actor("caller", () -> site.acquire(Site.OPTIONS, Duration.ofSeconds(5)));
    }

    @Test
    void closeAndWaiter() {
        holds("close, waiter", ALL_ORDERS, scene -> {
            Hold hold = scene.site("n").held(Site.OPTIONS);
            Site site = scene.site("m");
            scene.actor("waiter", () -> site.acquire(Site.OPTIONS, Duration.ofSeconds(1)));
            scene.actor("closer", () -> {
                scene.pass(Duration.ofMillis(500));
                site.close();
                hold.release();
            });
        });
    }

    @Test
    void closeAndTwoCloses() {
        holds("close, close, release", ALL_ORDERS, scene -> {
            Site site = scene.site("m");
            Hold hold = site.held(Site.OPTIONS);
            scene.actor("closer", site::close);
            scene.actor("another closer", site::close);
            scene.actor("holder", hold::release);
        });
    }

    @Test
    void closeAndRenewal() {
        holds("close, renewal", ALL_ORDERS, LeaseExplorationTest::closeAndRenewal);
        holds("close, renewal, a fault", ALL_ORDERS.withFaults(1), LeaseExplorationTest::closeAndRenewal);
    }

    static void closeAndRenewal(Scene scene) throws InterruptedException {
        Site site = scene.site("m");
        site.held(Site.RENEWED);
        scene.actor("closer", () -> {
            scene.pass(RENEWAL.minus(Site.GRACE));
            site.close();
        });
    }

    @Test
    void maxHoldAndRelease() {
        holds("max hold, release", ALL_ORDERS, LeaseExplorationTest::maxHoldAndRelease);
        holds("max hold, release, a fault", ALL_ORDERS.withFaults(1), LeaseExplorationTest::maxHoldAndRelease);
    }

    static void maxHoldAndRelease(Scene scene) throws InterruptedException {
        Duration most = Duration.ofSeconds(30);
        Hold hold = scene.site("m").held(Site.OPTIONS.withMaxHold(most));
        scene.actor("holder", () -> {
            scene.pass(most);
            hold.close();
        });
    }

    @Test
    void interruptAndAcquire() {
        holds("interrupt, acquire", ALL_ORDERS, LeaseExplorationTest::interruptAndAcquire);
        holds("interrupt, acquire, a fault", ALL_ORDERS.withFaults(1), LeaseExplorationTest::interruptAndAcquire);
    }

    static void interruptAndAcquire(Scene scene) {
        Site site = scene.site("m");
        scene.actor("caller", () -> site.acquire(Site.OPTIONS, Duration.ofSeconds(5))
                .ifPresent(Hold::release));
        scene.actor("interrupter", () -> scene.interrupt("caller"));
    }

    @Test
    void twoManagersCompete() {
        holds("two managers compete", ALL_ORDERS, LeaseExplorationTest::twoManagersCompete);
        holds("two managers compete, a fault", ALL_ORDERS.withFaults(1), LeaseExplorationTest::twoManagersCompete);
    }

    static void twoManagersCompete(Scene scene) {
        for (String name : new String[] {"m", "n"}) {
            Site site = scene.site(name);
            scene.actor(name + "'s caller", () -> site.tryAcquire(Site.OPTIONS).ifPresent(Hold::close));
        }
    }

    @Test
    void everythingThatMayGetNoAnswer() {
        holds("acquire, renewal, release, a fault", ALL_ORDERS.withFaults(1), LeaseExplorationTest::wholeLife);
    }

    static void wholeLife(Scene scene) {
        Site site = scene.site("m");
        scene.actor("caller", () -> {
            Optional<Hold> got = site.tryAcquire(Site.RENEWED);
            scene.pass(RENEWAL);
            got.ifPresent(Hold::close);
        });
    }
}
