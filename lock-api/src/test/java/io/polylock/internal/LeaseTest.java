// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polylock.Lease;
import io.polylock.LeaseLostException;
import io.polylock.LossCause;
import io.polylock.ReleaseOutcome;
import io.polylock.memory.MemoryStore.Network;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class LeaseTest {

    @AutoClose
    private final Rig rig = new Rig();

    @Test
    void releaseFreesTheLock() {
        assertThat(rig.held().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void releaseSaysNotHeldIfTheRecordIsGone() {
        Lease lease = rig.held();
        rig.store.evict(Rig.NAME);
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
    }

    @Test
    void releaseLeavesASuccessorAlone() {
        Lease lease = rig.held();
        rig.store.evict(Rig.NAME);
        rig.takenByAnother(Rig.TTL);
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
        assertThat(rig.holder()).isPresent();
    }

    @Test
    void releaseSaysUnknownIfTheStoreDoesNotAnswer() {
        Lease lease = rig.held();
        rig.store.setNetwork(Network.LOSES_REPLIES);
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.UNKNOWN);
    }

    @Test
    void releaseSaysUnknownIfTheBackendBreaks() {
        Lease lease = rig.held();
        rig.wire.onRelease(step -> {
            throw new StackOverflowError("of the client");
        });
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.UNKNOWN);
    }

    @Test
    void secondReleaseSendsNothing() {
        Lease lease = rig.held();
        lease.release();
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(rig.wire.releases).hasSize(1);
    }

    @Test
    void releaseAfterUnknownAsksAgain() {
        Lease lease = rig.held();
        rig.store.setNetwork(Network.LOSES_REQUESTS);
        lease.release();
        rig.clock.advance(Duration.ZERO); // the first undo has failed too
        rig.store.setNetwork(Network.UP);
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void releaseAfterOneThatWasAppliedUnheardSaysNotHeld() {
        Lease lease = rig.held();
        rig.store.setNetwork(Network.LOSES_REPLIES);
        lease.release();
        rig.store.setNetwork(Network.UP);
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
    }

    @Test
    void closeAfterAReleaseThatWasAppliedUnheardIsQuiet() {
        Lease lease = rig.held();
        rig.store.setNetwork(Network.LOSES_REPLIES);
        lease.release();
        rig.store.setNetwork(Network.UP);
        assertThatCode(lease::close).doesNotThrowAnyException();
    }

    @Test
    void closeAfterAnUnheardReleaseIsQuietAlsoIfAnotherHasTheLockNow() {
        Lease lease = rig.held();
        rig.store.setNetwork(Network.LOSES_REPLIES);
        lease.release();
        rig.store.setNetwork(Network.UP);
        rig.takenByAnother(Rig.TTL);
        assertThatCode(lease::close).doesNotThrowAnyException();
    }

    @Test
    void twoThreadsThatReleaseSendOneRequest() throws Exception {
        Lease lease = rig.held();
        rig.wire.onRelease(step -> {
            rig.hang(Duration.ofSeconds(1));
            return step.get();
        });
        CompletableFuture<ReleaseOutcome> one = rig.clock.fork(lease::release);
        CompletableFuture<ReleaseOutcome> two = rig.clock.fork(lease::release);
        assertThat(rig.clock.join(one, Rig.TIMEOUT)).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(rig.clock.join(two, Rig.TIMEOUT)).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(rig.wire.releases).hasSize(1);
    }

    @Test
    void releaseWaitsForARenewalThatIsOnItsWay() throws Exception {
        Lease lease = rig.held();
        rig.wire.onRenew(step -> {
            rig.hang(Duration.ofSeconds(1));
            return step.get();
        });
        rig.clock.advance(Duration.ofSeconds(10));
        assertThat(rig.wire.renewals).hasSize(1);
        rig.run(lease::release);
        assertThat(rig.wire.releases.get(0).atNanos() - rig.wire.renewals.get(0).atNanos())
                .isEqualTo(Duration.ofSeconds(1).toNanos());
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void releaseBehindAHungRenewalTakesOneTimeoutAndIsRepeatedInTheBackground() throws Exception {
        Lease lease = rig.held();
        rig.wire.onRenew(step -> {
            rig.hang(Duration.ofSeconds(15));
            return step.get();
        });
        rig.clock.advance(Duration.ofSeconds(10));
        long start = rig.clock.nanoTime();
        assertThat(rig.run(lease::release)).isEqualTo(ReleaseOutcome.UNKNOWN);
        assertThat(rig.clock.nanoTime() - start).isEqualTo(Rig.TIMEOUT.toNanos());
        rig.clock.advance(Duration.ofSeconds(1));
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void aDefiniteAnswerIsNotOverwrittenByAThreadThatDidNotGetItsTurn() throws Exception {
        Lease lease = rig.held();
        rig.wire.onRelease(step -> {
            rig.hang(Duration.ofSeconds(3));
            return step.get();
        });
        CompletableFuture<ReleaseOutcome> slow = rig.clock.fork(lease::release);
        rig.clock.advance(Duration.ZERO);
        CompletableFuture<ReleaseOutcome> impatient = rig.clock.fork(lease::release);
        assertThat(rig.clock.join(impatient, Rig.TTL)).isEqualTo(ReleaseOutcome.UNKNOWN);
        assertThat(rig.clock.join(slow, Rig.TTL)).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(rig.run(lease::release)).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void closeIsQuietAfterAGoodRelease() {
        Lease lease = rig.held();
        lease.release();
        assertThatCode(lease::close).doesNotThrowAnyException();
    }

    @Test
    void closeIsQuietIfTheReleaseIsUnknown() {
        Lease lease = rig.held();
        rig.store.setNetwork(Network.LOSES_REPLIES);
        assertThatCode(lease::close).doesNotThrowAnyException();
    }

    @Test
    void closeSaysThatTheRecordWasTakenAway() {
        Lease lease = rig.held();
        rig.store.evict(Rig.NAME);
        assertThatThrownBy(lease::close).isInstanceOfSatisfying(LeaseLostException.class, e -> assertThat(e.lossCause())
                .isEqualTo(LossCause.REVOKED));
    }

    @Test
    void closeSaysThatAnotherHasTheLock() {
        Lease lease = rig.held();
        rig.store.evict(Rig.NAME);
        rig.takenByAnother(Rig.TTL);
        assertThatThrownBy(lease::close).isInstanceOfSatisfying(LeaseLostException.class, e -> assertThat(e.lossCause())
                .isEqualTo(LossCause.TAKEN));
    }

    @Test
    void closeIsLoudOnlyOnce() {
        Lease lease = rig.held();
        rig.store.evict(Rig.NAME);
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        assertThatCode(lease::close).doesNotThrowAnyException();
    }

    @Test
    void closeAfterTheValidityIsLoudEvenIfTheStoreStillHadTheRecord() {
        Lease lease = rig.held(rig.lock.withoutRenewal());
        rig.clock.advance(Rig.VALIDITY);
        assertThat(rig.holder()).isPresent();
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void theExceptionOfTheBodySuppressesTheLoss() throws Exception {
        Throwable thrown = rig.failureOf(() -> rig.lock.call(Duration.ZERO, lease -> {
            rig.store.evict(Rig.NAME);
            throw new IllegalStateException("of the body");
        }));
        assertThat(thrown).hasMessage("of the body");
        assertThat(thrown.getSuppressed()).singleElement().isInstanceOf(LeaseLostException.class);
    }

    @Test
    void callReturnsWhatTheBodyReturnsAndReleases() throws Exception {
        String holder = rig.run(() ->
                rig.lock.call(Duration.ZERO, lease -> rig.holder().orElseThrow().ownerHint()));
        assertThat(holder).isNotEmpty();
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void runReleasesAfterAnErrorOfTheTask() throws Exception {
        assertThat(rig.failureOf(() -> {
                    rig.lock.run(Duration.ZERO, lease -> {
                        throw new StackOverflowError();
                    });
                    return true;
                }))
                .isInstanceOf(StackOverflowError.class);
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void isNotHeldAfterARelease() {
        Lease lease = rig.held();
        lease.release();
        assertThat(lease.isHeld()).isFalse();
        assertThat(lease.remaining()).isZero();
    }

    @Test
    void isHeldToTheLastNanosecondOfItsValidity() {
        Lease lease = rig.held(rig.lock.withoutRenewal());
        rig.clock.advance(Rig.VALIDITY.minusNanos(1));
        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.remaining()).isEqualTo(Duration.ofNanos(1));
        rig.clock.advance(Duration.ofNanos(1));
        assertThat(lease.isHeld()).isFalse();
        assertThat(lease.remaining()).isZero();
    }

    @Test
    void validityIsCountedFromBeforeTheRequest() {
        rig.wire.onAcquire(step -> {
            var granted = step.get();
            rig.clock.advance(Duration.ofSeconds(4));
            return granted;
        });
        assertThat(rig.held().remaining()).isEqualTo(Rig.VALIDITY.minusSeconds(4));
    }

    @Test
    void isNotHeldAfterTheMachineSlept() {
        Lease lease = rig.held(rig.lock.withoutRenewal());
        rig.clock.moveWallClock(Duration.ofMillis(303));
        assertThat(lease.isHeld()).isFalse();
        assertThat(lease.remaining()).isZero();
    }

    @Test
    void aWallClockThatIsAheadByTheDriftChangesNothing() {
        Lease lease = rig.held(rig.lock.withoutRenewal());
        rig.clock.moveWallClock(Duration.ofMillis(302));
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void aWallClockThatGoesBackChangesNothing() {
        Lease lease = rig.held(rig.lock.withoutRenewal());
        rig.clock.moveWallClock(Duration.ofDays(-1));
        rig.clock.advance(Rig.VALIDITY.minusNanos(1));
        assertThat(lease.remaining()).isEqualTo(Duration.ofNanos(1));
    }

    @Test
    void aRenewalRestoresTrustAfterASleep() {
        Lease lease = rig.held();
        rig.clock.moveWallClock(Duration.ofSeconds(5));
        rig.clock.advance(Duration.ofSeconds(10));
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void closeAfterASleepIsQuietIfTheStoreConfirmsTheLease() {
        Lease lease = rig.held(rig.lock.withoutRenewal());
        rig.clock.moveWallClock(Duration.ofSeconds(5));
        assertThatCode(lease::close).doesNotThrowAnyException();
    }

    @Test
    void withAResendingClientNotHeldWithinTheValidityIsUnknown() {
        rig.wire.resend();
        Lease lease = rig.held();
        rig.store.evict(Rig.NAME);
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.UNKNOWN);
        assertThatCode(lease::close).doesNotThrowAnyException();
    }

    @Test
    void withAResendingClientNotHeldAfterTheValidityIsNotHeld() {
        rig.wire.resend();
        Lease lease = rig.held(rig.lock.withoutRenewal());
        rig.clock.advance(Rig.TTL);
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
    }

    @Test
    void withAResendingClientACloseLongAfterAnUnknownReleaseIsQuiet() {
        rig.wire.resend();
        Lease lease = rig.held(rig.lock.withoutRenewal());
        rig.store.evict(Rig.NAME);
        lease.release();
        rig.clock.advance(Rig.TTL);
        assertThatCode(lease::close).doesNotThrowAnyException();
    }

    @Test
    void withAResendingClientTheValidityCountsWhenTheReleaseIsSent() {
        rig.wire.resend();
        Lease lease = rig.held(rig.lock.withoutRenewal());
        rig.clock.advance(Rig.VALIDITY.minusSeconds(1));
        rig.wire.onRelease(step -> {
            var first = step.get();
            assertThat(first).isNotNull();
            rig.clock.advance(Rig.TIMEOUT);
            return step.get();
        });
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.UNKNOWN);
    }

    @Test
    void showsItsNameAndStateButNoOwnerToken() {
        Lease lease = rig.held();
        assertThat(lease).hasToString("lease on lock 'orders/42' HELD");
        assertThat(lease.lockName()).isEqualTo(Rig.NAME);
    }
}
