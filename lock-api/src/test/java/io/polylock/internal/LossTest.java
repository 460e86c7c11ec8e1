// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polylock.Lease;
import io.polylock.LeaseLostException;
import io.polylock.LossCause;
import io.polylock.ReleaseOutcome;
import io.polylock.memory.MemoryStore.Network;
import io.polylock.spi.Ownership;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class LossTest {

    private record Loss(LossCause cause, Duration at) {}

    @AutoClose
    private final Rig rig = new Rig();

    private final List<Loss> losses = new CopyOnWriteArrayList<>();

    private Lease watched(Lease lease) {
        lease.onLost(cause -> losses.add(new Loss(cause, Duration.ofNanos(rig.clock.nanoTime()))));
        return lease;
    }

    @Test
    void tellsAtTheEndOfTheValidityThatAnUnrenewedLeaseExpired() {
        watched(rig.held(rig.lock.withoutRenewal()));
        rig.clock.advance(Rig.VALIDITY.minusNanos(1));
        assertThat(losses).isEmpty();
        rig.clock.advance(Duration.ofNanos(1));
        assertThat(losses).containsExactly(new Loss(LossCause.EXPIRED, Rig.VALIDITY));
    }

    @Test
    void tellsAtTheEndOfTheValidityThatTheStoreIsUnreachable() {
        watched(rig.held());
        rig.store.setNetwork(Network.REFUSES);
        rig.clock.advance(Rig.TTL);
        assertThat(losses).containsExactly(new Loss(LossCause.UNREACHABLE, Rig.VALIDITY));
    }

    @Test
    void tellsAtTheEndOfTheValidityAlsoWhileTheStoreHangs() {
        watched(rig.held());
        rig.wire.onRenew(step -> {
            rig.hang(Duration.ofHours(1));
            throw Wire.noAnswer();
        });
        rig.clock.advance(Rig.TTL);
        assertThat(losses).containsExactly(new Loss(LossCause.UNREACHABLE, Rig.VALIDITY));
    }

    @Test
    void tellsAtTheNextRenewalThatAnotherTookTheLock() {
        watched(rig.held());
        rig.store.evict(Rig.NAME);
        rig.takenByAnother(Rig.TTL);
        rig.clock.advance(Duration.ofSeconds(10));
        assertThat(losses).extracting(Loss::cause).containsExactly(LossCause.TAKEN);
    }

    @Test
    void tellsAtTheNextRenewalThatTheLockWasRevoked() {
        watched(rig.held());
        rig.store.evict(Rig.NAME);
        rig.clock.advance(Duration.ofSeconds(10));
        assertThat(losses).extracting(Loss::cause).containsExactly(LossCause.REVOKED);
    }

    @Test
    void aRecordThatIsGoneAfterASleepIsExpired() {
        watched(rig.held());
        rig.clock.moveWallClock(Duration.ofHours(1));
        rig.store.evict(Rig.NAME);
        rig.clock.advance(Duration.ofSeconds(10));
        assertThat(losses).extracting(Loss::cause).containsExactly(LossCause.EXPIRED);
    }

    @Test
    void tellsOfTheMaximumHoldToTheNanosecond() {
        Duration longest = Duration.ofSeconds(100);
        Lease lease = watched(rig.held(rig.lock.withMaxHold(longest)));
        rig.clock.advance(longest.minusNanos(1));
        assertThat(lease.isHeld()).isTrue();
        rig.clock.advance(Duration.ofNanos(1));
        assertThat(losses).containsExactly(new Loss(LossCause.MAX_HOLD, longest));
    }

    @Test
    void aMaximumHoldWithoutEndIsNone() {
        Lease lease = rig.held(rig.lock.withMaxHold(Duration.ofSeconds(Long.MAX_VALUE)));
        rig.clock.advance(Rig.TTL.multipliedBy(10));
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void afterTheMaximumHoldTheStoreFreesTheLockWithinOneTtl() {
        rig.held(rig.lock.withMaxHold(Duration.ofSeconds(100)));
        rig.clock.advance(Duration.ofSeconds(100).plus(Rig.TTL));
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void remainingEndsWithTheMaximumHold() {
        Lease lease = rig.held(rig.lock.withMaxHold(Duration.ofSeconds(3)));
        rig.clock.advance(Duration.ofSeconds(1));
        assertThat(lease.remaining()).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void aLateHeldNeverRevivesALostLease() {
        Lease lease = watched(rig.held());
        heldComesAfter(Duration.ofSeconds(25));
        rig.clock.advance(Duration.ofSeconds(36));
        assertThat(losses).hasSize(1);
        assertThat(lease.isHeld()).isFalse();
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aLateHeldIsReleased() {
        Lease lease = rig.held();
        heldComesAfter(Duration.ofSeconds(25));
        rig.clock.advance(Duration.ofSeconds(36));
        assertThat(rig.wire.releases).isNotEmpty();
        assertThat(rig.holder()).isEmpty();
        assertThat(lease.isHeld()).isFalse();
    }

    private void heldComesAfter(Duration delay) {
        rig.wire.onRenew(step -> {
            Ownership found = step.get();
            rig.hang(delay);
            return found;
        });
    }

    @Test
    void aLateAbsentIsHeardToo() throws Exception {
        Lease lease = watched(rig.held());
        rig.wire.onRenew(step -> {
            rig.hang(Duration.ofSeconds(60));
            return step.get();
        });
        rig.clock.advance(Duration.ofSeconds(80));
        assertThat(losses).hasSize(1);
        assertThat(rig.run(lease::release)).isEqualTo(ReleaseOutcome.NOT_HELD);
        assertThat(rig.wire.releases).isEmpty();
    }

    @Test
    void tellsEveryActionOnce() {
        Lease lease = watched(watched(rig.held()));
        rig.store.evict(Rig.NAME);
        rig.clock.advance(Rig.TTL.multipliedBy(2));
        lease.release();
        assertThat(losses).hasSize(2);
    }

    @Test
    void tellsAtOnceIfLostAlready() {
        Lease lease = rig.held();
        rig.store.evict(Rig.NAME);
        rig.clock.advance(Rig.TTL);
        watched(lease);
        rig.clock.advance(Duration.ZERO);
        assertThat(losses).extracting(Loss::cause).containsExactly(LossCause.REVOKED);
    }

    @Test
    void tellsAtOnceIfLostAndThenReleased() {
        Lease lease = rig.held();
        rig.store.evict(Rig.NAME);
        rig.clock.advance(Rig.TTL);
        lease.release();
        watched(lease);
        rig.clock.advance(Duration.ZERO);
        assertThat(losses).hasSize(1);
    }

    @Test
    void tellsNothingAfterARelease() {
        watched(rig.held()).release();
        rig.clock.advance(Rig.TTL.multipliedBy(2));
        assertThat(losses).isEmpty();
    }

    @Test
    void tellsNothingAfterAReleaseThatFoundNothing() {
        Lease lease = watched(rig.held());
        rig.store.evict(Rig.NAME);
        lease.release();
        watched(lease);
        rig.clock.advance(Rig.TTL.multipliedBy(2));
        assertThat(losses).isEmpty();
    }

    @Test
    void anActionThatThrowsHarmsNobody() {
        Lease lease = rig.held();
        lease.onLost(cause -> {
            throw new IllegalStateException("of the action");
        });
        lease.onLost(cause -> {
            throw new StackOverflowError("of the action");
        });
        watched(lease);
        rig.store.evict(Rig.NAME);
        rig.clock.advance(Duration.ofSeconds(10));
        assertThat(losses).hasSize(1);
    }

    @Test
    void anActionThatHangsHoldsUpNoLossOfAnotherLease() {
        Lease slow = rig.held(rig.manager.lock("slow").withoutRenewal());
        slow.onLost(cause -> rig.hang(Duration.ofHours(1)));
        watched(rig.held(rig.lock.withoutRenewal()));
        rig.clock.advance(Rig.VALIDITY);
        assertThat(losses).hasSize(1);
    }

    @Test
    void anActionMayReleaseTheLease() {
        Lease lease = rig.held(rig.lock.withoutRenewal());
        lease.onLost(cause -> lease.release());
        rig.clock.advance(Rig.VALIDITY);
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void isLostBeforeTheActionsAreTold() {
        Lease lease = rig.held();
        List<Boolean> heldWhenTold = new CopyOnWriteArrayList<>();
        lease.onLost(cause -> heldWhenTold.add(lease.isHeld()));
        rig.store.evict(Rig.NAME);
        rig.clock.advance(Duration.ofSeconds(10));
        assertThat(heldWhenTold).containsExactly(false);
    }

    @Test
    void aLogHandlerThatThrowsKeepsNobodyFromHearing() {
        Logger logger = Logger.getLogger("io.polylock");
        Level before = logger.getLevel();
        Handler broken = new Handler() {
            @Override
            public void publish(LogRecord record) {
                throw new IllegalStateException("the application's log is broken");
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        List<LossCause> heard = new CopyOnWriteArrayList<>();
        logger.addHandler(broken);
        logger.setLevel(Level.ALL);
        try {
            Lease lease = rig.held(rig.lock.withoutRenewal());
            lease.onLost(heard::add);
            rig.clock.advance(Rig.TTL);
            rig.clock.advance(Duration.ofSeconds(1));

            assertThat(heard).containsExactly(LossCause.EXPIRED);
            assertThat(lease.release()).isNotNull();
        } finally {
            logger.removeHandler(broken);
            logger.setLevel(before);
        }
    }
}
