// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.polylock.spi.Acquisition;
import io.polylock.spi.BatchRenewal;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockRequest;
import io.polylock.spi.Ownership;
import io.polylock.spi.RenewResult;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** REN: what a renewal does to the store. */
abstract class RenewRules extends Rules {

    private static final Duration SHORT = Duration.ofMillis(100);

    RenewRules(Supplier<Stage> stage) {
        super(stage);
    }

    @Test
    @DisplayName("REN-1 MUST restart the TTL when the owner renews, and say HELD")
    void ren1_restartsTheTtl() throws Exception {
        LockBackend backend = stage().backend();
        Duration ttl = Duration.ofMillis(800);
        stage().timely(() -> {
            String name = stage().name();
            long start = stage().nanos();
            LockRequest owner = taken(backend, name, ttl);
            stage().elapse(ttl.dividedBy(2));
            long renewed = stage().nanos();
            Ownership found = backend.renew(owner);
            stage().notLater(start, ttl);
            assertHeld(found);

            stage().elapse(ttl.multipliedBy(3).dividedBy(4));
            Acquisition other = backend.tryAcquire(stage().request(name, ttl));
            stage().notLater(renewed, ttl);
            assertContended(other);
            stage().eventually("the renewed lock ends", Duration.ofSeconds(2), () -> stage().isFree(backend, name));
        });
    }

    @Test
    @DisplayName("REN-2 MUST NOT prolong a lock that another owner token holds, and say OTHER_OWNER")
    void ren2_refusesAForeignToken() {
        LockBackend backend = stage().backend();
        String name = stage().name();
        LockRequest late = taken(backend, name, SHORT);
        stage().elapse(SHORT.multipliedBy(2));
        taken(backend, name, Stage.TTL);

        assertEquals(Ownership.OTHER_OWNER, backend.renew(late.withTtl(Stage.LONG_TTL)));

        stage().eventually("the successor's TTL is its own", Stage.SOON, () -> stage().isFree(backend, name));
    }

    @Test
    @DisplayName("REN-3 MUST NOT revive a lock that expired or was released, and say ABSENT")
    void ren3_doesNotRevive() {
        LockBackend backend = stage().backend();
        LockRequest expired = taken(backend, stage().name(), SHORT);
        stage().elapse(SHORT.multipliedBy(2));
        assertEquals(Ownership.ABSENT, backend.renew(expired));
        assertTrue(stage().isFree(backend, expired.name().value()), "the expired lock was revived");

        LockRequest released = taken(backend, stage().name(), Stage.LONG_TTL);
        assertHeld(backend.release(released));
        assertEquals(Ownership.ABSENT, backend.renew(released));
        assertTrue(stage().isFree(backend, released.name().value()), "the released lock was revived");
    }

    @Test
    @DisplayName("REN-4 MUST NOT bring the end of a lock nearer, so that a late duplicate does no harm")
    void ren4_neverShortens() {
        LockBackend backend = stage().backend();
        LockRequest owner = taken(backend, stage().name(), Stage.LONG_TTL);

        assertHeld(backend.renew(owner.withTtl(SHORT)));

        stage().elapse(SHORT.multipliedBy(2));
        assertContended(backend.tryAcquire(stage().request(owner.name().value(), Stage.LONG_TTL)));
        assertHeld(backend.release(owner));
    }

    @Test
    @DisplayName("REN-5 MUST count the TTL from the renewal, not add it to what is left")
    void ren5_setsAndDoesNotAdd() {
        LockBackend backend = stage().backend();
        LockRequest owner = taken(backend, stage().name(), Stage.TTL);
        for (int i = 0; i < 50; i++) {
            backend.renew(owner);
        }
        stage().eventually("the lock is free one TTL after its last renewal", Stage.SOON, () -> stage().isFree(
                        backend, owner.name().value()));
    }

    @Test
    @DisplayName("REN-6 MUST renew each lease of a batch by itself: what is lost for one is not lost for another")
    void ren6_aBatchIsManyRenewals() throws Exception {
        LockBackend backend = stage().backend();
        BatchRenewal batch = stage().feature(backend, BatchRenewal.class);
        stage().timely(() -> {
            long start = stage().nanos();
            LockRequest held = taken(backend, stage().name(), Stage.TTL);
            LockRequest absent = stage().request(stage().name(), Stage.TTL);
            LockRequest foreign = stage().request(
                            taken(backend, stage().name(), Stage.LONG_TTL)
                                    .name()
                                    .value(),
                            Stage.TTL);
            LockRequest alsoHeld = taken(backend, stage().name(), Stage.TTL);
            stage().elapse(Stage.TTL.dividedBy(2));
            long renewed = stage().nanos();
            List<RenewResult> results = batch.renewAll(List.of(held, absent, foreign, alsoHeld));
            stage().notLater(start, Stage.TTL);
            assertEquals(
                    List.of(
                            new RenewResult.Answered(Ownership.HELD),
                            new RenewResult.Answered(Ownership.ABSENT),
                            new RenewResult.Answered(Ownership.OTHER_OWNER),
                            new RenewResult.Answered(Ownership.HELD)),
                    results);

            stage().elapse(Stage.TTL.multipliedBy(3).dividedBy(4));
            Acquisition one = backend.tryAcquire(stage().request(held.name().value(), Stage.TTL));
            Acquisition two = backend.tryAcquire(stage().request(alsoHeld.name().value(), Stage.TTL));
            stage().notLater(renewed, Stage.TTL);
            assertContended(one);
            assertContended(two);
        });
    }

    @Test
    @DisplayName("REN-7 MUST leave the lock its owner's when it renews")
    void ren7_renewingIsNotReleasing() {
        LockBackend backend = stage().backend();
        LockRequest owner = taken(backend, stage().name(), Stage.LONG_TTL);

        assertHeld(backend.renew(owner));
        assertHeld(backend.renew(owner));

        assertContended(backend.tryAcquire(stage().request(owner.name().value(), Stage.LONG_TTL)));
        assertHeld(backend.release(owner));
    }

    @Test
    @DisplayName(
            "REN-8 MUST compare and prolong in one step: whenever a late renewal arrives, it prolongs no successor")
    void ren8_aRenewalIsOneStep() {
        LockBackend backend = stage().backend();
        LockBackend other = stage().backend();
        Duration ttl = Duration.ofMillis(10);
        Duration successorTtl = Duration.ofMillis(200);
        Duration first = Duration.ofNanos(8_500_000);
        Duration window = Duration.ofNanos(3_500_000);
        int rounds = 150;
        int prolonged = 0;
        for (int round = 0; round < rounds; round++) {
            String name = stage().name();
            long start = stage().nanos();
            LockRequest late = taken(backend, name, ttl);
            Stage.Worker<LockRequest> next = stage().fork(() -> {
                LockRequest successor = stage().request(name, successorTtl);
                while (other.tryAcquire(successor) instanceof Acquisition.Contended) {
                    stage().elapse(Duration.ofNanos(50_000));
                }
                return successor;
            });
            Duration moment = first.plus(window.multipliedBy(round).dividedBy(rounds));
            stage().elapse(moment.minus(stage().since(start)));
            if (backend.renew(late.withTtl(Stage.LONG_TTL)) == Ownership.HELD) {
                backend.release(late);
            }
            LockRequest successor = stage().join(next, Stage.SOON);
            LockRequest probe = stage().request(name, successorTtl);
            Acquisition answer = other.tryAcquire(probe);
            if (answer instanceof Acquisition.Contended busy
                    && busy.freeIn()
                            .filter(left -> left.compareTo(successorTtl) > 0)
                            .isPresent()) {
                prolonged++;
            }
            other.release(probe);
            other.release(successor);
        }
        assertEquals(0, prolonged, "successors that a late renewal prolonged, of " + rounds);
    }
}
