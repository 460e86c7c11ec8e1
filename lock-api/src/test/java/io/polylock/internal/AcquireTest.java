// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polylock.DistributedLock;
import io.polylock.Lease;
import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.LockException;
import io.polylock.memory.MemoryStore.Network;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class AcquireTest {

    @AutoClose
    private final Rig rig = new Rig();

    @Test
    void grantsAFreeLock() {
        Lease lease = rig.held();
        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.remaining()).isEqualTo(Rig.VALIDITY);
        assertThat(rig.holder().orElseThrow().fencingToken()).isEqualTo(lease.fencingToken());
    }

    @Test
    void isEmptyWhileAnotherHoldsTheLock() throws Exception {
        rig.takenByAnother(Rig.TTL);
        assertThat(rig.lock.tryAcquire()).isEmpty();
        assertThat(rig.wire.acquires).hasSize(1);
    }

    @Test
    void isNotReentrant() throws Exception {
        rig.held();
        assertThat(rig.lock.tryAcquire()).isEmpty();
    }

    @Test
    void tokensGrowFromLeaseToLease() {
        long last = 0;
        for (int i = 0; i < 5; i++) {
            Lease lease = rig.held();
            assertThat(lease.fencingToken().orElseThrow()).isGreaterThan(last);
            last = lease.fencingToken().orElseThrow();
            lease.close();
        }
    }

    @Test
    void signsEachAttemptWithAnOwnerTokenOfItsOwn() {
        for (int i = 0; i < 5; i++) {
            rig.held().close();
        }
        assertThat(rig.wire.acquires)
                .extracting(call -> call.request().owner())
                .doesNotHaveDuplicates()
                .hasSize(5);
    }

    @Test
    void sendsItsLabel() {
        rig.held();
        assertThat(rig.holder().orElseThrow().label()).contains("me");
    }

    @Test
    void boundsTheAnswerByTheCommandTimeout() {
        rig.held();
        assertThat(rig.wire.acquires.get(0).request().answerWithin()).isEqualTo(Rig.TIMEOUT);
    }

    @Test
    void boundsTheAnswerByAShorterTtl() {
        rig.held(rig.lock.withTtl(Duration.ofMillis(300)));
        assertThat(rig.wire.acquires.get(0).request().answerWithin()).isEqualTo(Duration.ofMillis(300));
    }

    @Test
    void noAnswerIsUnknownAndUndone() {
        rig.store.setNetwork(Network.LOSES_REPLIES);
        assertFails(rig.lock, Outcome.UNKNOWN);
        rig.store.setNetwork(Network.UP);
        rig.clock.advance(Duration.ofSeconds(3));
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void anExceptionOfTheBackendIsUnknownAndUndone() {
        rig.wire.onAcquire(step -> {
            throw new IllegalStateException("broken after " + step.get());
        });
        assertFails(rig.lock, Outcome.UNKNOWN);
        rig.clock.advance(Duration.ZERO);
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void anErrorOfTheBackendPassesAndIsUndone() {
        rig.wire.onAcquire(step -> {
            throw new StackOverflowError("broken after " + step.get());
        });
        assertThatThrownBy(rig.lock::tryAcquire).isInstanceOf(StackOverflowError.class);
        rig.clock.advance(Duration.ZERO);
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void aGrantThatIsOverWhenItArrivesIsGivenBack() {
        grantTakes(Rig.VALIDITY);
        assertFails(rig.lock, Outcome.NOT_APPLIED);
        assertThat(rig.holder()).isEmpty();
        assertThat(rig.wire.releases).hasSize(1);
    }

    @Test
    void aGrantWithANanosecondLeftIsHandedOut() {
        grantTakes(Rig.VALIDITY.minusNanos(1));
        assertThat(rig.held().remaining()).isEqualTo(Duration.ofNanos(1));
    }

    @Test
    void aGrantBelowTheMinimumValidityIsGivenBack() {
        grantTakes(Duration.ofSeconds(10).plusNanos(1));
        assertFails(rig.lock.withMinValidity(Rig.VALIDITY.minusSeconds(10)), Outcome.NOT_APPLIED);
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void aGrantOfTheMinimumValidityIsHandedOut() {
        grantTakes(Duration.ofSeconds(10));
        Duration least = Rig.VALIDITY.minusSeconds(10);
        assertThat(rig.held(rig.lock.withMinValidity(least)).remaining()).isEqualTo(least);
    }

    @Test
    void aGrantBeyondTheMaximumHoldIsGivenBack() {
        grantTakes(Duration.ofSeconds(3));
        assertFails(rig.lock.withMaxHold(Duration.ofSeconds(3)), Outcome.NOT_APPLIED);
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void aGrantThatTheMachineSleptThroughIsGivenBack() {
        rig.wire.onAcquire(step -> {
            var granted = step.get();
            rig.clock.moveWallClock(Duration.ofHours(1));
            return granted;
        });
        assertFails(rig.lock, Outcome.NOT_APPLIED);
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void aGrantThatCannotBeGivenBackIsUndone() {
        grantTakes(Rig.VALIDITY);
        rig.store.setNetwork(Network.UP);
        rig.wire.onRelease(step -> {
            if (rig.wire.releases.size() == 1) {
                throw new NoClassDefFoundError("of the client");
            }
            return step.get();
        });
        assertFails(rig.lock, Outcome.NOT_APPLIED);
        rig.clock.advance(Duration.ZERO);
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void refusesAShortTtlWithRenewalBeforeItAsks() {
        DistributedLock shortTtl = rig.lock.withTtl(Duration.ofMillis(299));
        assertThatThrownBy(shortTtl::tryAcquire)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("PT0.3S", "PT0.299S");
        assertThat(rig.wire.acquires).isEmpty();
    }

    @Test
    void takesTheShortestTtlWithoutRenewal() {
        DistributedLock shortest = rig.lock.withTtl(Duration.ofMillis(10)).withoutRenewal();
        assertThat(rig.held(shortest).remaining()).isEqualTo(Duration.ofNanos(7_900_000));
    }

    @Test
    void refusesAMinimumValidityThatTheTtlCannotGive() {
        DistributedLock never = rig.lock.withMinValidity(Rig.VALIDITY.plusNanos(1));
        assertThatThrownBy(never::tryAcquire)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PT29.698S");
    }

    @Test
    void refusesAMinimumValidityThatTheMaximumHoldCannotGive() {
        DistributedLock never = rig.lock.withMaxHold(Duration.ofSeconds(5)).withMinValidity(Duration.ofSeconds(6));
        assertThatThrownBy(never::tryAcquire)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("PT5S", "PT6S");
    }

    @Test
    void refusesAHugeMinimumValidity() {
        DistributedLock never = rig.lock.withMinValidity(Duration.ofSeconds(Long.MAX_VALUE));
        assertThatThrownBy(never::tryAcquire).isInstanceOf(IllegalArgumentException.class);
    }

    private void grantTakes(Duration duration) {
        rig.wire.onAcquire(step -> {
            var granted = step.get();
            rig.clock.advance(duration);
            return granted;
        });
    }

    private static void assertFails(DistributedLock lock, Outcome outcome) {
        assertThatThrownBy(lock::tryAcquire)
                .isInstanceOf(LockException.class)
                .isInstanceOfSatisfying(
                        LockBackendException.class, e -> assertThat(e.outcome()).isEqualTo(outcome));
    }
}
