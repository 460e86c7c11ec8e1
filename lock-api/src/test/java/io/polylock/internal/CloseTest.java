// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polylock.Lease;
import io.polylock.LeaseLostException;
import io.polylock.LockManager;
import io.polylock.LossCause;
import io.polylock.ManagerOptions;
import io.polylock.memory.MemoryLockBackend;
import io.polylock.spi.LockClock;
import io.polylock.spi.Ownership;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class CloseTest {

    @AutoClose
    private final Rig rig = new Rig();

    private CompletableFuture<Long> closing() {
        return rig.clock.fork(() -> {
            rig.manager.close();
            return rig.clock.nanoTime();
        });
    }

    @Test
    void closesTheBackendOnce() throws Exception {
        rig.clock.join(closing(), Duration.ZERO);
        rig.clock.join(closing(), Duration.ZERO);
        assertThat(rig.wire.closings).hasValue(1);
    }

    @Test
    void refusesNewWork() throws Exception {
        rig.clock.join(closing(), Duration.ZERO);
        assertThatThrownBy(rig.lock::tryAcquire).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> rig.lock.acquire(Duration.ZERO)).isInstanceOf(IllegalStateException.class);
        assertThat(rig.wire.acquires).isEmpty();
    }

    @Test
    void refusesNewWorkWhileItWaitsForHolders() {
        rig.held();
        var done = closing();
        rig.clock.advance(Duration.ZERO);
        assertThat(done).isNotDone();
        assertThatThrownBy(rig.lock::tryAcquire).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void failsWaitersAtOnce() throws Exception {
        rig.takenByAnother(Rig.TTL);
        var waiter = rig.clock.fork(() -> rig.lock.acquire(Duration.ofHours(1)));
        rig.clock.advance(Duration.ofSeconds(5));
        int asked = rig.wire.acquires.size();
        rig.clock.join(closing(), Duration.ZERO);
        assertThat(waiter).isCompletedExceptionally();
        assertThatThrownBy(waiter::join).hasCauseInstanceOf(IllegalStateException.class);
        assertThat(rig.wire.acquires).hasSize(asked);
    }

    @Test
    void returnsAsSoonAsTheLastHolderHasReleased() throws Exception {
        Lease lease = rig.held();
        var done = closing();
        rig.clock.advance(Duration.ofSeconds(3));
        assertThat(done).isNotDone();
        lease.close();
        assertThat(rig.clock.join(done, Duration.ZERO))
                .isEqualTo(Duration.ofSeconds(3).toNanos());
    }

    @Test
    void renewsDuringTheGrace() {
        Lease lease = rig.held(rig.lock.withTtl(Duration.ofSeconds(3)));
        var done = closing();
        rig.clock.advance(Duration.ofSeconds(9));
        assertThat(done).isNotDone();
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void losesWhatIsHeldAfterTheGrace() throws Exception {
        Lease lease = rig.held();
        List<LossCause> losses = new CopyOnWriteArrayList<>();
        lease.onLost(losses::add);
        assertThat(rig.clock.join(closing(), Rig.TTL)).isEqualTo(Rig.GRACE.toNanos());
        assertThat(losses).containsExactly(LossCause.CLOSED);
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void leavesTheRecordOfARunningBodyUntilItsTtlEnds() throws Exception {
        rig.held(rig.lock.withoutRenewal());
        rig.clock.join(closing(), Rig.TTL);
        assertThat(rig.holder()).isPresent();
        assertThat(rig.wire.releases).isEmpty();
        rig.clock.advance(Rig.TTL);
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void aRenewalThatIsAnsweredAfterTheGraceHandsNothingAway() throws Exception {
        rig.held(rig.lock.withTtl(Duration.ofSeconds(27)));
        rig.wire.onRenew(step -> {
            Ownership found = step.get();
            try {
                rig.clock.newPause().await(Duration.ofHours(1));
            } catch (InterruptedException shutDown) {
                return found;
            }
            return found;
        });
        rig.clock.join(closing(), Rig.TTL);
        assertThat(rig.wire.renewals).hasSize(1);
        assertThat(rig.holder()).isPresent();
        assertThat(rig.wire.releases).isEmpty();
    }

    @Test
    void closingALeaseAfterTheManagerIsLoud() throws Exception {
        Lease lease = rig.held();
        rig.clock.join(closing(), Rig.TTL);
        assertThatThrownBy(lease::close).isInstanceOfSatisfying(LeaseLostException.class, e -> assertThat(e.lossCause())
                .isEqualTo(LossCause.CLOSED));
    }

    @Test
    void givesAGrantBackThatArrivesMeanwhile() throws Exception {
        rig.wire.onAcquire(step -> {
            var granted = step.get();
            rig.hang(Duration.ofSeconds(1));
            return granted;
        });
        var waiter = rig.clock.fork(() -> rig.lock.acquire(Duration.ofHours(1)));
        rig.clock.advance(Duration.ZERO);
        rig.clock.join(closing(), Rig.TTL);
        assertThatThrownBy(waiter::join).hasCauseInstanceOf(IllegalStateException.class);
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void waitsNotLongerThanOneTimeoutForARequestThatHangs() throws Exception {
        rig.wire.onAcquire(step -> {
            rig.hang(Duration.ofHours(1));
            return step.get();
        });
        var stuck = rig.clock.fork(rig.lock::tryAcquire);
        rig.clock.advance(Duration.ZERO);
        assertThat(rig.clock.join(closing(), Rig.TTL)).isEqualTo(Rig.TIMEOUT.toNanos());
        assertThat(stuck).isNotDone();
    }

    @Test
    void anInterruptEndsTheGraceAndIsKept() throws Exception {
        Lease lease = rig.held();
        CompletableFuture<Thread> closer = new CompletableFuture<>();
        CompletableFuture<Boolean> flagKept = rig.clock.fork(() -> {
            closer.complete(Thread.currentThread());
            rig.manager.close();
            return Thread.interrupted();
        });
        rig.clock.advance(Duration.ofSeconds(1));
        rig.clock.interrupt(closer.join());
        assertThat(rig.clock.join(flagKept, Duration.ZERO)).isTrue();
        assertThat(lease.isHeld()).isFalse();
        assertThat(rig.wire.closings).hasValue(1);
    }

    @Test
    void theBackendIsClosedWithTheInterruptFlagClear() throws Exception {
        List<Boolean> flags = new CopyOnWriteArrayList<>();
        rig.wire.onClose(() -> flags.add(Thread.currentThread().isInterrupted()));
        boolean kept = rig.run(() -> {
            Thread.currentThread().interrupt();
            rig.manager.close();
            return Thread.interrupted();
        });
        assertThat(flags).containsExactly(false);
        assertThat(kept).isTrue();
    }

    @Test
    void keepsTheInterruptFlagAlsoIfTheBackendFailsToClose() throws Exception {
        rig.wire.onClose(() -> {
            throw new NoClassDefFoundError("of the client");
        });
        boolean kept = rig.run(() -> {
            Thread.currentThread().interrupt();
            try {
                rig.manager.close();
            } catch (NoClassDefFoundError expected) {
                assertThat(expected).hasMessage("of the client");
            }
            return Thread.interrupted();
        });
        assertThat(kept).isTrue();
    }

    @Test
    void aBackendThatFailsToCloseIsLoggedOnly() {
        rig.wire.onClose(() -> {
            throw new IllegalStateException("cannot close");
        });
        assertThatCode(() -> rig.clock.join(closing(), Duration.ZERO)).doesNotThrowAnyException();
    }

    @Test
    void theClockGoesOnAfterAManagerWasClosedWithWorkInItsLanes() throws Exception {
        rig.wire.onRelease(step -> {
            rig.hang(Duration.ofHours(1));
            return step.get();
        });
        rig.wire.onAcquire(step -> {
            throw Wire.noAnswer();
        });
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(rig.lock::tryAcquire).hasMessage("no answer");
        }
        rig.clock.join(closing(), Duration.ofSeconds(1));
        assertThatCode(() -> rig.clock.advance(Duration.ofDays(1))).doesNotThrowAnyException();
    }

    @Test
    void leavesNoThreadBehind() throws Exception {
        ManagerOptions quick = ManagerOptions.DEFAULTS.withCloseGrace(Duration.ZERO);
        Wire wire = new Wire(MemoryLockBackend.create(), LockClock.system());
        try (LockManager locks = LockManager.of(wire, quick)) {
            Lease lease = locks.lock("threads").withTtl(Duration.ofMillis(300)).acquire(Duration.ZERO);
            lease.onLost(cause -> {});
            spinUntil(() -> !wire.renewals.isEmpty());
            assertThat(polylockThreads()).isNotEmpty();
        }
        spinUntil(() -> polylockThreads().isEmpty());
        assertThat(polylockThreads()).isEmpty();
    }

    private static void spinUntil(BooleanSupplier done) {
        long start = System.nanoTime();
        while (!done.getAsBoolean()
                && System.nanoTime() - start < Duration.ofSeconds(10).toNanos()) {
            Thread.onSpinWait();
        }
    }

    private static List<String> polylockThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(Thread::isAlive)
                .map(Thread::getName)
                .filter(name -> name.startsWith("polylock-"))
                .toList();
    }
}
