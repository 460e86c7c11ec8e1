// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.polylock.spi.Acquisition;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockRequest;
import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** EXP: how long the store keeps a lock. */
abstract class ExpiryRules extends Rules {

    ExpiryRules(Supplier<Stage> stage) {
        super(stage);
    }

    @Test
    @DisplayName(
            "EXP-1 MUST keep a lock for its TTL, to the fraction of a second, and then free it without anybody's help")
    void exp1_keepsTheLockForItsTtl() throws Exception {
        LockBackend backend = stage().backend();
        Duration ttl = Duration.ofMillis(1_400);
        stage().timely(() -> {
            String name = stage().name();
            long start = stage().nanos();
            taken(backend, name, ttl);
            for (Duration at : new Duration[] {Duration.ofMillis(600), Duration.ofMillis(1_200)}) {
                stage().elapse(at.minus(stage().since(start)));
                Acquisition other = backend.tryAcquire(stage().request(name, ttl));
                stage().notLater(start, ttl);
                assertContended(other);
            }
            stage().eventually("the lock is free after its TTL", Duration.ofSeconds(1), () -> stage().isFree(
                            backend, name));
        });
    }

    @Test
    @DisplayName("EXP-2 MUST give an expired lock to the first request of a client that never saw its holder")
    void exp2_theFirstRequestTakesAnExpiredLock() {
        String name = stage().name();
        taken(stage().backend(), name, Duration.ofMillis(100));
        stage().elapse(Duration.ofMillis(250));

        assertGranted(stage().backend().tryAcquire(stage().request(name, Stage.LONG_TTL)));
    }

    @Test
    @DisplayName(
            "EXP-3 MUST take every TTL from 10 ms to 365 days, fractions of a millisecond too, and never keep a lock shorter")
    void exp3_takesEveryTtl() throws Exception {
        LockBackend backend = stage().backend();
        LockRequest longest = taken(backend, stage().name(), Duration.ofDays(365));
        assertHeld(backend.release(longest));

        String shortest = stage().name();
        taken(backend, shortest, Duration.ofMillis(10));
        stage().eventually("a lock of 10 ms is free soon", Stage.SOON, () -> stage().isFree(backend, shortest));

        Duration odd = Duration.ofNanos(40_999_999);
        for (int round = 0; round < 5; round++) {
            Duration kept = keptFor(backend, stage().name(), odd);
            assertTrue(kept.compareTo(odd) >= 0, "a lock of " + odd + " was kept for " + kept + " only");
        }
    }

    /** From before it was taken until after somebody else got it: never less than the TTL. */
    private Duration keptFor(LockBackend backend, String name, Duration ttl) {
        long start = stage().nanos();
        taken(backend, name, ttl);
        stage().elapse(ttl.minusMillis(2).minus(stage().since(start)));
        LockRequest other = stage().request(name, ttl);
        while (backend.tryAcquire(other) instanceof Acquisition.Contended
                && stage().since(start).compareTo(Stage.SOON) < 0) {
            stage().elapse(Duration.ofNanos(100_000));
        }
        return stage().since(start);
    }

    @Test
    @DisplayName("EXP-4 MUST judge expiry by the store's clock alone, whatever the client's wall clock says")
    void exp4_theClientsClockDoesNotCount() {
        LockBackend backend = stage().backend();
        String name = stage().name();
        taken(backend, name, Stage.LONG_TTL);

        for (Duration offset : new Duration[] {Duration.ofHours(1), Duration.ofHours(-2)}) {
            stage().moveEveryWallClock(offset);
            assertContended(backend.tryAcquire(stage().request(name, Stage.LONG_TTL)));

            String other = stage().name();
            taken(backend, other, Duration.ofMillis(100));
            assertContended(backend.tryAcquire(stage().request(other, Stage.LONG_TTL)));
            stage().elapse(Duration.ofMillis(150));
            taken(backend, other, Stage.LONG_TTL);
        }
    }

    @Test
    @DisplayName("EXP-5 MUST tell how long a lock is kept in the unit in which it was asked for")
    void exp5_tellsTheRemainingTtlInItsUnit() throws Exception {
        LockBackend backend = stage().backend();
        String name = stage().name();
        long start = stage().nanos();
        taken(backend, name, Stage.LONG_TTL);
        Acquisition.Contended refused = assertContended(backend.tryAcquire(stage().request(name, Stage.LONG_TTL)));
        Duration took = stage().since(start);

        refused.freeIn()
                .ifPresent(left -> assertTrue(
                        left.compareTo(Stage.LONG_TTL) <= 0
                                && left.compareTo(Stage.LONG_TTL.minus(took).minusMillis(1)) >= 0,
                        "a lock of " + Stage.LONG_TTL + " that was taken " + took + " ago is said to be free in "
                                + left));
    }
}
