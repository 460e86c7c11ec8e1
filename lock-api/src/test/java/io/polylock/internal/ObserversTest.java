// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polylock.Lease;
import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.LockEvent;
import io.polylock.LockEvent.UndoStep;
import io.polylock.LockEvent.WokenBy;
import io.polylock.LockTimeoutException;
import io.polylock.LossCause;
import io.polylock.ReleaseOutcome;
import io.polylock.memory.MemoryStore.Network;
import io.polylock.spi.LockName;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ObserversTest {

    private final Heard heard = new Heard();

    @AutoClose
    private final Rig rig = new Rig(heard);

    private void settle() {
        rig.clock.advance(Duration.ZERO);
    }

    @Test
    void tellsOfALeaseThatWasFreeAtOnce() {
        Lease lease = rig.held();
        settle();
        assertThat(heard.events)
                .containsExactly(
                        new LockEvent.Acquired(Rig.NAME, Duration.ZERO, WokenBy.FIRST_ASK, lease.fencingToken()));
    }

    @Test
    void theWaitOfASingleAttemptIsTheTimeOfItsRequest() throws Exception {
        rig.wire.onAcquire(step -> {
            rig.hang(Duration.ofMillis(7));
            return step.get();
        });
        rig.run(() -> rig.held());
        settle();
        assertThat(heard.only(LockEvent.Acquired.class))
                .extracting(LockEvent.Acquired::waited)
                .containsExactly(Duration.ofMillis(7));
    }

    @Test
    void tellsOfTheFirstRefusalAloneAndHowLongTheWaitWas() throws Exception {
        var before = rig.takenByAnother(Rig.TTL);
        var waiter = rig.clock.fork(() -> rig.lock.acquire(Duration.ofHours(1)));
        rig.clock.advance(Duration.ofSeconds(5));
        rig.other.release(before);
        Lease lease = rig.clock.join(waiter, Rig.TTL);
        Duration waited = Duration.ofNanos(rig.clock.nanoTime());
        settle();
        assertThat(heard.events)
                .containsExactly(
                        new LockEvent.Contended(Rig.NAME, Optional.of(Rig.TTL)),
                        new LockEvent.Acquired(Rig.NAME, waited, WokenBy.SIGNAL, lease.fencingToken()));
        assertThat(waited).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void tellsThatTheEndOfTheHoldersTtlWokeTheWaiter() throws Exception {
        rig.takenByAnother(Duration.ofMillis(20));
        Lease lease = rig.run(() -> rig.lock.acquire(Duration.ofHours(1)));
        settle();
        assertThat(heard.only(LockEvent.Acquired.class)).singleElement().satisfies(acquired -> {
            assertThat(acquired.wokenBy()).isEqualTo(WokenBy.HOLDER_EXPIRY);
            assertThat(acquired.waited()).isBetween(Duration.ofMillis(21), Duration.ofMillis(22));
            assertThat(acquired.fencingToken()).isEqualTo(lease.fencingToken());
        });
    }

    @Test
    void tellsOfTheRefusalOfASingleAttempt() throws Exception {
        rig.takenByAnother(Rig.TTL);
        assertThat(rig.lock.tryAcquire()).isEmpty();
        settle();
        assertThat(heard.events).containsExactly(new LockEvent.Contended(Rig.NAME, Optional.of(Rig.TTL)));
    }

    @Test
    void tellsOfATimeout() throws Exception {
        rig.takenByAnother(Rig.TTL);
        assertThat(rig.failureOf(() -> rig.lock.acquire(Duration.ofSeconds(3))))
                .isInstanceOf(LockTimeoutException.class);
        settle();
        assertThat(heard.events)
                .containsExactly(
                        new LockEvent.Contended(Rig.NAME, Optional.of(Rig.TTL)),
                        new LockEvent.TimedOut(Rig.NAME, Duration.ofSeconds(3)));
    }

    @Test
    void aFailureOfTheStoreIsNoTimeout() throws Exception {
        rig.store.setNetwork(Network.REFUSES);
        assertThat(rig.failureOf(() -> rig.lock.acquire(Duration.ofSeconds(3))))
                .isInstanceOf(LockBackendException.class);
        settle();
        assertThat(heard.events).isEmpty();
    }

    @Test
    void tellsHowMuchWasLeftWhenARenewalWasConfirmed() {
        rig.wire.onRenew(step -> {
            rig.hang(Duration.ofSeconds(1));
            return step.get();
        });
        rig.held();
        rig.clock.advance(Duration.ofSeconds(12));
        Duration sent = Duration.ofNanos(rig.wire.renewals.get(0).atNanos());
        assertThat(heard.only(LockEvent.Renewed.class))
                .containsExactly(
                        new LockEvent.Renewed(Rig.NAME, Rig.VALIDITY.minus(sent).minusSeconds(1)));
    }

    @Test
    void nothingWasLeftAfterTheMachineSlept() {
        rig.held();
        rig.clock.moveWallClock(Duration.ofMinutes(1));
        rig.clock.advance(Duration.ofSeconds(11));
        assertThat(heard.only(LockEvent.Renewed.class)).containsExactly(new LockEvent.Renewed(Rig.NAME, Duration.ZERO));
    }

    @Test
    void tellsOfALossWithItsCauseAndTheTimeHeld() {
        rig.held(rig.lock.withoutRenewal());
        rig.clock.advance(Rig.TTL);
        assertThat(heard.only(LockEvent.Lost.class))
                .containsExactly(new LockEvent.Lost(Rig.NAME, LossCause.EXPIRED, Rig.VALIDITY));
    }

    @Test
    void tellsOfALossThatTheStoreReported() {
        rig.held();
        rig.store.evict(Rig.NAME);
        rig.clock.advance(Rig.TTL);
        Duration asked = Duration.ofNanos(rig.wire.renewals.get(0).atNanos());
        assertThat(heard.only(LockEvent.Lost.class))
                .containsExactly(new LockEvent.Lost(Rig.NAME, LossCause.REVOKED, asked));
    }

    @Test
    void tellsOfAReleaseOnceHoweverOftenItIsCalled() {
        Lease lease = rig.held();
        rig.clock.advance(Duration.ofSeconds(3));
        lease.release();
        rig.clock.advance(Duration.ofSeconds(1));
        lease.release();
        lease.close();
        settle();
        assertThat(heard.only(LockEvent.Released.class))
                .containsExactly(new LockEvent.Released(Rig.NAME, ReleaseOutcome.RELEASED, Duration.ofSeconds(3)));
    }

    @Test
    void tellsOfAReleaseThatFoundNothing() {
        Lease lease = rig.held();
        rig.store.evict(Rig.NAME);
        lease.release();
        settle();
        assertThat(heard.only(LockEvent.Released.class))
                .containsExactly(new LockEvent.Released(Rig.NAME, ReleaseOutcome.NOT_HELD, Duration.ZERO));
    }

    @Test
    void theHoldOfALostLeaseEndsWithTheLoss() {
        Lease lease = rig.held(rig.lock.withoutRenewal());
        rig.clock.advance(Duration.ofMinutes(5));
        lease.release();
        settle();
        assertThat(heard.events)
                .containsExactly(
                        new LockEvent.Acquired(Rig.NAME, Duration.ZERO, WokenBy.FIRST_ASK, lease.fencingToken()),
                        new LockEvent.Lost(Rig.NAME, LossCause.EXPIRED, Rig.VALIDITY),
                        new LockEvent.Released(Rig.NAME, ReleaseOutcome.NOT_HELD, Rig.VALIDITY));
    }

    @Test
    void tellsOfAnUnknownReleaseAndOfWhatARepeatedOneLearns() {
        Lease lease = rig.held();
        rig.wire.onRelease(step -> {
            throw Wire.noAnswer();
        });
        lease.release();
        rig.wire.onRelease(step -> step.get());
        lease.release();
        settle();
        assertThat(heard.only(LockEvent.Released.class))
                .extracting(LockEvent.Released::outcome)
                .containsExactly(ReleaseOutcome.UNKNOWN, ReleaseOutcome.RELEASED);
    }

    private void unheardAcquire(String name) {
        rig.wire.onAcquire(step -> {
            throw new LockBackendException(Outcome.UNKNOWN, "unheard: " + step.get());
        });
        assertThatThrownBy(rig.manager.lock(name)::tryAcquire).isInstanceOf(LockBackendException.class);
    }

    @Test
    void tellsOfAnUndoAtItsBeginningAndWhenItIsDone() {
        unheardAcquire(Rig.NAME);
        rig.clock.advance(Duration.ofSeconds(1));
        assertThat(heard.events).containsExactly(new LockEvent.Undo(Rig.NAME, UndoStep.STARTED));
        rig.clock.advance(Duration.ofSeconds(1));
        assertThat(heard.events)
                .containsExactly(
                        new LockEvent.Undo(Rig.NAME, UndoStep.STARTED), new LockEvent.Undo(Rig.NAME, UndoStep.DONE));
    }

    @Test
    void tellsOfAnUndoThatIsGivenUp() {
        unheardAcquire(Rig.NAME);
        rig.store.setNetwork(Network.REFUSES);
        rig.clock.advance(Duration.ofSeconds(70));
        assertThat(heard.events)
                .containsExactly(
                        new LockEvent.Undo(Rig.NAME, UndoStep.STARTED),
                        new LockEvent.Undo(Rig.NAME, UndoStep.GIVEN_UP));
    }

    @Test
    void tellsOfAnUndoThatClosingTheManagerEnds() {
        unheardAcquire(Rig.NAME);
        rig.close();
        assertThat(heard.events)
                .containsExactly(
                        new LockEvent.Undo(Rig.NAME, UndoStep.STARTED),
                        new LockEvent.Undo(Rig.NAME, UndoStep.GIVEN_UP));
    }

    @Test
    void tellsOfAnUndoForWhichThereIsNoRoom() {
        rig.wire.onRelease(step -> {
            throw Wire.noAnswer();
        });
        for (int i = 0; i < Numbers.DEFAULTS.undoCapacity(); i++) {
            unheardAcquire("lock " + i);
            settle(); // so that the listener is never behind
        }
        unheardAcquire("one more");
        settle();
        assertThat(heard.events).endsWith(new LockEvent.Undo("one more", UndoStep.GIVEN_UP));
        assertThat(heard.only(LockEvent.Undo.class))
                .filteredOn(undo -> undo.lockName().equals("one more"))
                .hasSize(1);
    }

    @Test
    void tellsOfASignalGap() {
        Observers observers = Observers.of(List.of(heard), rig.clock);
        observers.signalGap(new LockName(Rig.NAME));
        settle();
        assertThat(heard.events).containsExactly(new LockEvent.SignalGap(Rig.NAME));
        observers.close();
    }

    @Test
    void tellsOfTheReleaseThatLetsTheManagerClose() throws Exception {
        Lease lease = rig.held();
        var closing = rig.clock.fork(() -> {
            rig.manager.close();
            return true;
        });
        settle();
        lease.release();
        rig.clock.join(closing, Duration.ZERO);
        assertThat(heard.only(LockEvent.Released.class)).hasSize(1);
    }

    @Test
    void tellsOfTheLossesOfTheClosingManager() {
        rig.held();
        rig.close();
        assertThat(heard.only(LockEvent.Lost.class))
                .containsExactly(new LockEvent.Lost(Rig.NAME, LossCause.CLOSED, Rig.GRACE));
    }

    @Test
    void afterTheEndNothingIsTold() {
        Lease lease = rig.held();
        rig.close();
        int before = heard.events.size();
        lease.release();
        settle();
        assertThat(heard.events).hasSize(before);
    }
}
