// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polylock.DistributedLock;
import io.polylock.Lease;
import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.memory.MemoryStore.Network;
import io.polylock.spi.Acquisition;
import io.polylock.spi.OwnerToken;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class UndoTest {

    @AutoClose
    private final Rig rig = new Rig();

    private void unheardAcquire() {
        unheardAcquire(rig.lock);
    }

    private static void unheardAcquire(DistributedLock lock) {
        assertThatThrownBy(lock::tryAcquire)
                .isInstanceOfSatisfying(
                        LockBackendException.class, e -> assertThat(e.outcome()).isEqualTo(Outcome.UNKNOWN));
    }

    private void acquiresAreUnheard() {
        rig.wire.onAcquire(step -> {
            throw new LockBackendException(Outcome.UNKNOWN, "unheard: " + step.get());
        });
    }

    @Test
    void releasesAtOnceAndAgainACommandTimeoutLater() {
        acquiresAreUnheard();
        unheardAcquire();
        rig.clock.advance(Duration.ofHours(1));
        assertThat(rig.wire.releases).extracting(Wire.Call::atNanos).containsExactly(0L, Rig.TIMEOUT.toNanos());
        assertThat(rig.wire.releases).allMatch(call -> call.request()
                .owner()
                .equals(rig.wire.acquires.get(0).request().owner()));
    }

    @Test
    void freesALockThatIsTakenAfterTheFirstReleaseOvertookTheRequest() {
        AtomicReference<Supplier<Acquisition>> late = new AtomicReference<>();
        rig.wire.onAcquire(step -> {
            late.set(step);
            throw Wire.noAnswer();
        });
        unheardAcquire();
        rig.clock.advance(Duration.ofSeconds(1));
        assertThat(late.get()).isNotNull().extracting(Supplier::get).isInstanceOf(Acquisition.Granted.class);
        rig.clock.advance(Duration.ofSeconds(1));
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void keepsTryingWhileTheStoreIsAway() {
        acquiresAreUnheard();
        unheardAcquire();
        rig.store.setNetwork(Network.REFUSES);
        rig.clock.advance(Duration.ZERO);
        unheardAcquireOfALongTtl();
        rig.clock.advance(Duration.ofMinutes(10));
        rig.store.setNetwork(Network.UP);
        rig.clock.advance(Rig.TIMEOUT);
        assertThat(rig.holder()).isEmpty();
    }

    private void unheardAcquireOfALongTtl() {
        rig.store.setNetwork(Network.UP);
        rig.store.evict(Rig.NAME);
        unheardAcquire(rig.lock.withTtl(Duration.ofHours(1)));
        rig.store.setNetwork(Network.REFUSES);
    }

    @Test
    void triesNotMoreOftenThanEveryTwoSecondsInAnOutage() {
        acquiresAreUnheard();
        unheardAcquire(rig.lock.withTtl(Duration.ofHours(1)));
        rig.store.setNetwork(Network.REFUSES);
        rig.clock.advance(Duration.ofMinutes(10));
        assertThat(rig.wire.releases).hasSizeBetween(300, 310);
    }

    @Test
    void keepsTryingWhileTheBackendThrowsWhatItShouldNot() {
        acquiresAreUnheard();
        rig.wire.onRelease(step -> {
            if (rig.wire.releases.size() < 3) {
                throw new IllegalStateException("no connection in the pool");
            }
            return step.get();
        });
        unheardAcquire();
        rig.clock.advance(Duration.ofSeconds(1));
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void givesUpWhenTheTtlHasLongEnded() {
        acquiresAreUnheard();
        unheardAcquire();
        rig.wire.onRelease(step -> {
            throw Wire.noAnswer();
        });
        rig.clock.advance(Duration.ofSeconds(66));
        int asked = rig.wire.releases.size();
        rig.clock.advance(Duration.ofHours(1));
        assertThat(rig.wire.releases).hasSize(asked).hasSizeGreaterThan(30);
    }

    @Test
    void undoesNothingThatWasNotApplied() {
        rig.store.setNetwork(Network.REFUSES);
        assertThatThrownBy(rig.lock::tryAcquire).isInstanceOf(LockBackendException.class);
        rig.clock.advance(Duration.ofHours(1));
        assertThat(rig.wire.releases).isEmpty();
    }

    @Test
    void undoesNothingThatWasContended() throws Exception {
        rig.takenByAnother(Rig.TTL);
        assertThat(rig.lock.tryAcquire()).isEmpty();
        rig.clock.advance(Duration.ofHours(1));
        assertThat(rig.wire.releases).isEmpty();
    }

    @Test
    void keepsNotMoreThan1024() {
        acquiresAreUnheard();
        rig.wire.onRelease(step -> {
            throw Wire.noAnswer();
        });
        for (int i = 0; i < 1_100; i++) {
            unheardAcquire(rig.manager.lock("lock " + i));
        }
        rig.clock.advance(Duration.ofSeconds(10));
        assertThat(undone()).hasSize(1_024);
    }

    @Test
    void hasRoomAgainOnceOthersAreDone() {
        acquiresAreUnheard();
        for (int i = 0; i < 1_100; i++) {
            unheardAcquire(rig.manager.lock("lock " + i));
            if (i == 1_000) {
                rig.clock.advance(Duration.ofSeconds(3));
            }
        }
        rig.clock.advance(Duration.ofSeconds(3));
        assertThat(undone()).hasSize(1_100);
    }

    @Test
    void aLeaseWhoseReleaseStaysUnknownTakesOnePlaceHoweverOftenItIsReleased() {
        rig.wire.onRelease(step -> {
            throw Wire.noAnswer();
        });
        Lease lease = rig.held();
        for (int i = 0; i < 1_030; i++) {
            lease.release();
        }
        acquiresAreUnheard();
        unheardAcquire(rig.manager.lock("another"));
        rig.clock.advance(Duration.ofSeconds(1));
        assertThat(undone()).hasSize(2);
    }

    private Set<OwnerToken> undone() {
        return rig.wire.releases.stream().map(call -> call.request().owner()).collect(Collectors.toSet());
    }

    @Test
    void undoesAlsoWhatAResendingClientCallsNotApplied() {
        rig.wire.resend();
        rig.wire.onAcquire(step -> {
            assertThat(step.get()).isNotNull(); // heard, before the request that failed
            throw new LockBackendException(Outcome.NOT_APPLIED, "loading");
        });

        assertThatThrownBy(rig.lock::tryAcquire).isInstanceOf(LockBackendException.class);
        rig.clock.advance(Duration.ofSeconds(5));

        assertThat(rig.holder()).isEmpty();
    }
}
