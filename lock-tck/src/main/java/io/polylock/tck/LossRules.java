// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.polylock.DistributedLock;
import io.polylock.Lease;
import io.polylock.LossCause;
import io.polylock.spi.Acquisition;
import io.polylock.spi.Inspection;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockName;
import io.polylock.spi.LockRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** LOS: how a lease is kept alive, and how its holder learns that it is not. */
abstract class LossRules extends Rules {

    private static final Duration TTL = Stage.RENEWED_TTL;

    LossRules(Supplier<Stage> stage) {
        super(stage);
    }

    /** What a lease told of its loss. */
    private static List<LossCause> heard(Lease lease) {
        List<LossCause> causes = new CopyOnWriteArrayList<>();
        lease.onLost(causes::add);
        return causes;
    }

    private void assertLost(Lease lease, List<LossCause> heard, LossCause cause, Duration bound) {
        stage().eventually("the loss is told", bound, () -> !heard.isEmpty());
        assertEquals(List.of(cause), heard);
        assertFalse(lease.isHeld());
        assertEquals(Duration.ZERO, lease.remaining());
    }

    @Test
    @DisplayName("LOS-1 MUST keep a lease for as long as it is held, by renewing it")
    void los1_renewsForAsLongAsTheLeaseIsHeld() throws Exception {
        LockBackend other = stage().backend();
        stage().timely(() -> {
            String name = stage().name();
            Lease lease = got(stage().manager().lock(name).withTtl(TTL).tryAcquire());
            List<LossCause> heard = heard(lease);

            long start = stage().nanos();
            long last = start;
            while (stage().since(start).compareTo(TTL.multipliedBy(3)) < 0) {
                Acquisition answer = other.tryAcquire(stage().request(name, TTL));
                boolean held = lease.isHeld();
                stage().notLater(last, TTL.dividedBy(3)); // else the machine stood still, and renewal with it
                last = stage().nanos();
                assertContended(answer);
                assertTrue(held);
                stage().elapse(Duration.ofMillis(50));
            }

            lease.close();
            assertEquals(List.of(), heard);
            assertTrue(stage().isFree(other, name));
        });
    }

    @Test
    @DisplayName("LOS-2 MUST NOT renew after the release")
    void los2_stopsRenewingAtTheRelease() throws Exception {
        Tampered backend = stage().tampered();
        DistributedLock lock = stage().manager(backend).lock(stage().name()).withTtl(Duration.ofMillis(300));
        for (int i = 0; i < 20; i++) {
            got(lock.tryAcquire()).close();
        }
        int renews = backend.renews.get();

        stage().elapse(Duration.ofMillis(600));

        assertEquals(renews, backend.renews.get(), "renewals after the last release");
    }

    @Test
    @DisplayName("LOS-3 MUST go on renewing after a renewal failed, whatever it failed with")
    void los3_oneFailureDoesNotEndRenewal() throws Exception {
        Tampered backend = stage().tampered();
        Lease lease =
                got(stage().manager(backend).lock(stage().name()).withTtl(TTL).tryAcquire());
        AtomicInteger failures = new AtomicInteger();
        backend.onRenew = new Tampered.Fault() {
            @Override
            public <T> T around(Supplier<T> request) {
                return switch (failures.getAndIncrement()) {
                    case 0 -> Tampered.Fault.UNREACHABLE.around(request);
                    case 1 -> throw new IllegalStateException("the kit lets a renewal fail");
                    case 2 -> throw new StackOverflowError("the kit lets a renewal fail badly");
                    default -> request.get();
                };
            }
        };

        stage().eventually("renewal goes on", TTL.multipliedBy(4), () -> failures.get() >= 5);

        assertTrue(lease.isHeld());
        lease.close();
    }

    @Test
    @DisplayName(
            "LOS-4 MUST tell of the loss with UNREACHABLE, at the latest at the end of validity, when renewals are not answered")
    void los4_anUnreachableStoreIsALoss() throws Exception {
        Tampered backend = stage().tampered();
        Lease lease =
                got(stage().manager(backend).lock(stage().name()).withTtl(TTL).tryAcquire());
        List<LossCause> heard = heard(lease);
        backend.onRenew = Tampered.Fault.LOSE_REQUEST;

        stage().eventually("validity ends", TTL, () -> !lease.isHeld());
        assertLost(lease, heard, LossCause.UNREACHABLE, Stage.SOON);
    }

    @Test
    @DisplayName("LOS-5 MUST tell of the loss with TAKEN when a renewal finds another owner")
    void los5_aTakenLockIsALoss() throws Exception {
        LockBackend other = stage().backend();
        Inspection operator = stage().feature(other, Inspection.class);
        String name = stage().name();
        Lease lease = got(stage().manager().lock(name).withTtl(TTL).tryAcquire());
        List<LossCause> heard = heard(lease);
        assertTrue(operator.revoke(new LockName(name), Duration.ofSeconds(2)).isPresent());
        LockRequest successor = taken(other, name, Stage.LONG_TTL);

        assertLost(lease, heard, LossCause.TAKEN, Stage.SOON);
        assertHeld(other.release(successor));
    }

    @Test
    @DisplayName("LOS-6 MUST tell of the loss with REVOKED when a renewal finds nothing although the TTL is not over")
    void los6_aRevokedLockIsALoss() throws Exception {
        LockBackend other = stage().backend();
        Inspection operator = stage().feature(other, Inspection.class);
        String name = stage().name();
        Lease lease = got(stage().manager().lock(name).withTtl(TTL).tryAcquire());
        List<LossCause> heard = heard(lease);

        assertTrue(operator.revoke(new LockName(name), Duration.ofSeconds(2)).isPresent());

        assertLost(lease, heard, LossCause.REVOKED, Stage.SOON);
    }

    @Test
    @DisplayName("LOS-7 MUST tell of the loss with EXPIRED when a lease without renewal ends")
    void los7_aLeaseWithoutRenewalExpires() throws Exception {
        Lease lease = got(stage().fixed(stage().manager(), stage().name(), Duration.ofMillis(200))
                .tryAcquire());
        List<LossCause> heard = heard(lease);

        assertLost(lease, heard, LossCause.EXPIRED, Stage.SOON);
    }

    @Test
    @DisplayName(
            "LOS-8 MUST end a lease after its maximum hold with MAX_HOLD, and the store's record at most one TTL later")
    void los8_aMaximumHoldEndsTheLease() throws Exception {
        String name = stage().name();
        Duration longest = TTL.multipliedBy(3).dividedBy(2);
        long start = stage().nanos();
        Lease lease = got(
                stage().manager().lock(name).withTtl(TTL).withMaxHold(longest).tryAcquire());
        List<LossCause> heard = heard(lease);
        LockBackend other = stage().backend();

        assertLost(lease, heard, LossCause.MAX_HOLD, Stage.SOON);
        assertTrue(stage().since(start).compareTo(longest) >= 0, "lost early, after " + stage().since(start));
        stage().eventually("the record ends", TTL.plus(Stage.SOON), () -> stage().isFree(other, name));
    }

    @Test
    @DisplayName("LOS-9 MUST NOT revive a lost lease when a renewal is answered late, but free what it prolonged")
    void los9_lostIsFinal() throws Exception {
        LockBackend other = stage().backend();
        stage().timely(() -> {
            Tampered backend = stage().tampered();
            String name = stage().name();
            Lease lease = got(stage().manager(backend).lock(name).withTtl(TTL).tryAcquire());
            List<LossCause> heard = heard(lease);
            AtomicLong renewed = new AtomicLong();
            AtomicBoolean answered = new AtomicBoolean();
            backend.onRenew = new Tampered.Fault() {
                @Override
                public <T> T around(Supplier<T> request) {
                    renewed.set(stage().nanos());
                    T answer = request.get();
                    stage().elapse(TTL.multipliedBy(4).dividedBy(5));
                    answered.set(true);
                    return answer;
                }
            };

            assertLost(lease, heard, LossCause.UNREACHABLE, Stage.SOON);
            stage().eventually("the late answer is there", Stage.SOON, answered::get);
            boolean free = stage().within(Duration.ofMillis(100), () -> stage().isFree(other, name));
            stage().notLater(renewed.get(), TTL);
            assertTrue(free, "what the late renewal prolonged was not freed");
            assertFalse(lease.isHeld(), "the lease came back");
            assertEquals(1, heard.size());
        });
    }

    @Test
    @DisplayName("LOS-10 MUST tell of a loss once: at once if it happened before, and never after a release")
    void los10_aLossIsToldOnce() throws Exception {
        DistributedLock lock = stage().fixed(stage().manager(), stage().name(), Duration.ofMillis(200));
        Lease released = got(lock.tryAcquire());
        List<LossCause> afterRelease = heard(released);
        released.close();

        Lease lost = got(lock.tryAcquire());
        List<LossCause> before = heard(lost);
        lost.onLost(cause -> {
            throw new IllegalStateException("the kit's action fails");
        });
        List<LossCause> alsoBefore = heard(lost);
        assertLost(lost, before, LossCause.EXPIRED, Stage.SOON);
        List<LossCause> after = heard(lost);
        assertLost(lost, after, LossCause.EXPIRED, Stage.SOON);
        assertLost(lost, alsoBefore, LossCause.EXPIRED, Stage.SOON);

        stage().elapse(Duration.ofMillis(300));
        assertEquals(1, before.size());
        assertEquals(List.of(), afterRelease);
    }
}
