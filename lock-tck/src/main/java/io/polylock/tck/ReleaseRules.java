// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.polylock.DistributedLock;
import io.polylock.Lease;
import io.polylock.LeaseLostException;
import io.polylock.LockManager;
import io.polylock.ReleaseOutcome;
import io.polylock.spi.Acquisition;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockRequest;
import io.polylock.spi.Ownership;
import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** REL: who may free a lock, and what is said about it. */
abstract class ReleaseRules extends Rules {

    private static final Duration SHORT = Duration.ofMillis(100);

    ReleaseRules(Supplier<Stage> stage) {
        super(stage);
    }

    @Test
    @DisplayName("REL-1 MUST free the lock at once when its owner releases it, and say HELD")
    void rel1_theOwnerFreesTheLock() {
        LockBackend backend = stage().backend();
        String name = stage().name();
        LockRequest owner = taken(backend, name, Stage.LONG_TTL);

        assertHeld(backend.release(owner));

        taken(stage().backend(), name, Stage.LONG_TTL);
    }

    @Test
    @DisplayName("REL-2 MUST NOT free a lock that another owner token holds, and say OTHER_OWNER")
    void rel2_refusesAForeignToken() {
        LockBackend backend = stage().backend();
        String name = stage().name();
        LockRequest late = taken(backend, name, SHORT);
        stage().elapse(SHORT.multipliedBy(2));
        LockRequest successor = taken(backend, name, Stage.LONG_TTL);

        assertEquals(Ownership.OTHER_OWNER, backend.release(late));
        assertEquals(Ownership.OTHER_OWNER, stage().backend().release(stage().request(name, Stage.LONG_TTL)));

        assertContended(backend.tryAcquire(stage().request(name, Stage.LONG_TTL)));
        assertHeld(backend.release(successor));
    }

    @Test
    @DisplayName("REL-3 MUST say ABSENT when nobody holds the lock: never taken, released before, or expired")
    void rel3_saysWhenNobodyHoldsTheLock() {
        LockBackend backend = stage().backend();
        assertEquals(Ownership.ABSENT, backend.release(stage().request(stage().name(), Stage.LONG_TTL)));

        LockRequest released = taken(backend, stage().name(), Stage.LONG_TTL);
        assertHeld(backend.release(released));
        assertEquals(Ownership.ABSENT, backend.release(released));

        LockRequest expired = taken(backend, stage().name(), SHORT);
        stage().elapse(SHORT.multipliedBy(2));
        assertEquals(Ownership.ABSENT, backend.release(expired));
    }

    @Test
    @DisplayName("REL-4 MUST do nothing on a second release: no request, no harm to a successor, the same answer")
    void rel4_aSecondReleaseDoesNothing() throws Exception {
        Tampered backend = stage().tampered();
        String name = stage().name();
        DistributedLock lock = stage().fixed(stage().manager(backend), name, Stage.LONG_TTL);
        Lease first = got(lock.tryAcquire());
        assertEquals(ReleaseOutcome.RELEASED, first.release());
        Lease second = got(lock.tryAcquire());
        int requests = backend.releases.get();

        assertEquals(ReleaseOutcome.RELEASED, first.release());
        first.close();

        assertEquals(requests, backend.releases.get(), "requests sent by a second release");
        assertTrue(second.isHeld());
        assertContended(stage().backend().tryAcquire(stage().request(name, Stage.LONG_TTL)));
        assertEquals(ReleaseOutcome.RELEASED, second.release());
    }

    @Test
    @DisplayName("REL-5 MUST let any thread that has the lease release it")
    void rel5_anyThreadMayRelease() throws Exception {
        String name = stage().name();
        Lease lease = got(stage().fixed(stage().manager(), name, Stage.LONG_TTL).tryAcquire());

        Stage.Worker<ReleaseOutcome> other = stage().fork(lease::release);

        assertEquals(ReleaseOutcome.RELEASED, stage().join(other, Stage.SOON));
        assertTrue(stage().isFree(stage().backend(), name));
    }

    @Test
    @DisplayName("REL-6 MUST release on an interrupted thread too, and keep its interrupt flag")
    void rel6_anInterruptedThreadReleases() throws Exception {
        String name = stage().name();
        Lease lease = got(stage().fixed(stage().manager(), name, Stage.LONG_TTL).tryAcquire());

        Stage.Worker<Boolean> interrupted = stage().fork(() -> {
            Thread.currentThread().interrupt();
            assertEquals(ReleaseOutcome.RELEASED, lease.release());
            return Thread.interrupted();
        });

        assertTrue(stage().join(interrupted, Stage.SOON), "the interrupt flag was lost");
        assertTrue(stage().isFree(stage().backend(), name));
    }

    @Test
    @DisplayName(
            "REL-7 MUST tell a late holder: release() says NOT_HELD and does not throw, close() throws, once; a successor is unharmed")
    void rel7_aLateHolderIsTold() throws Exception {
        LockManager manager = stage().manager();
        String name = stage().name();
        Lease late = got(stage().fixed(manager, name, SHORT).tryAcquire());
        stage().elapse(SHORT.multipliedBy(2));
        Lease successor =
                got(stage().fixed(stage().manager(), name, Stage.LONG_TTL).tryAcquire());

        assertFalse(late.isHeld());
        assertEquals(ReleaseOutcome.NOT_HELD, late.release());
        assertThrows(LeaseLostException.class, late::close);
        assertDoesNotThrow(late::close);

        assertTrue(successor.isHeld());
        assertEquals(ReleaseOutcome.RELEASED, successor.release());
    }

    @Test
    @DisplayName(
            "REL-8 MUST tell apart two leases of one manager and thread: the earlier one cannot free the later one")
    void rel8_everyAttemptHasItsOwnToken() throws Exception {
        LockManager manager = stage().manager();
        String name = stage().name();
        Lease earlier = got(stage().fixed(manager, name, SHORT).tryAcquire());
        stage().elapse(SHORT.multipliedBy(2));
        Lease later = got(stage().fixed(manager, name, Stage.LONG_TTL).tryAcquire());

        assertEquals(ReleaseOutcome.NOT_HELD, earlier.release());

        assertTrue(manager.lock(name).tryAcquire().isEmpty(), "the later lease was freed");
        assertEquals(ReleaseOutcome.RELEASED, later.release());
    }

    @Test
    @DisplayName("REL-9 MUST compare and free in one step: whenever a late release arrives, it frees no successor")
    void rel9_aReleaseIsOneStep() {
        LockBackend backend = stage().backend();
        LockBackend other = stage().backend();
        Duration ttl = Duration.ofMillis(10);
        Duration first = Duration.ofNanos(8_500_000);
        Duration window = Duration.ofNanos(3_500_000);
        int rounds = 150;
        int robbed = 0;
        for (int round = 0; round < rounds; round++) {
            String name = stage().name();
            long start = stage().nanos();
            LockRequest late = taken(backend, name, ttl);
            Stage.Worker<LockRequest> next = stage().fork(() -> {
                LockRequest successor = stage().request(name, Stage.LONG_TTL);
                while (other.tryAcquire(successor) instanceof Acquisition.Contended) {
                    stage().elapse(Duration.ofNanos(50_000));
                }
                return successor;
            });
            Duration moment = first.plus(window.multipliedBy(round).dividedBy(rounds));
            stage().elapse(moment.minus(stage().since(start)));
            backend.release(late);
            LockRequest successor = stage().join(next, Stage.SOON);
            if (other.release(successor) != Ownership.HELD) {
                robbed++;
            }
        }
        assertEquals(0, robbed, "successors that lost their lock to a late release, of " + rounds);
    }
}
