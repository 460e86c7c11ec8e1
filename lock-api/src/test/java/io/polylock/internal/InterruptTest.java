// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polylock.Lease;
import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.ReleaseOutcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class InterruptTest {

    @AutoClose
    private final Rig rig = new Rig();

    @AfterEach
    void noFlagLeaksFromATest() {
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void beforeTheRequestNothingIsSent() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(rig.lock::tryAcquire).isInstanceOf(InterruptedException.class);
        assertThat(rig.wire.acquires).isEmpty();
    }

    @Test
    void duringTheRequestAGrantIsGivenBack() {
        rig.wire.onAcquire(step -> {
            Thread.currentThread().interrupt();
            return step.get();
        });
        assertThatThrownBy(rig.lock::tryAcquire).isInstanceOf(InterruptedException.class);
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void aGrantIsGivenBackWithTheFlagClear() {
        List<Boolean> flags = flagsAtRelease();
        rig.wire.onAcquire(step -> {
            Thread.currentThread().interrupt();
            return step.get();
        });
        assertThatThrownBy(rig.lock::tryAcquire).isInstanceOf(InterruptedException.class);
        assertThat(flags).containsExactly(false);
    }

    @Test
    void duringTheRequestContentionIsInterruption() {
        rig.takenByAnother(Rig.TTL);
        rig.wire.onAcquire(step -> {
            Thread.currentThread().interrupt();
            return step.get();
        });
        assertThatThrownBy(rig.lock::tryAcquire).isInstanceOf(InterruptedException.class);
    }

    @Test
    void duringTheRequestAFailureIsInterruptionAndUndone() {
        rig.wire.onAcquire(step -> {
            Thread.currentThread().interrupt();
            throw new LockBackendException(Outcome.UNKNOWN, "closed by interrupt after " + step.get());
        });
        assertThatThrownBy(rig.lock::tryAcquire)
                .isInstanceOf(InterruptedException.class)
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
        rig.clock.advance(Duration.ZERO);
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void duringTheRequestWhatWasNotAppliedIsNotUndone() {
        rig.wire.onAcquire(step -> {
            Thread.currentThread().interrupt();
            throw new LockBackendException(Outcome.NOT_APPLIED, "no connection");
        });
        assertThatThrownBy(rig.lock::tryAcquire).isInstanceOf(InterruptedException.class);
        rig.clock.advance(Rig.TTL);
        assertThat(rig.wire.releases).isEmpty();
    }

    @Test
    void duringThePauseNothingIsHeld() {
        rig.takenByAnother(Rig.TTL);
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        CompletableFuture<Lease> waiter = rig.clock.fork(() -> {
            thread.complete(Thread.currentThread());
            return rig.lock.acquire(Duration.ofHours(1));
        });
        rig.clock.advance(Duration.ofMillis(1_500));
        int asked = rig.wire.acquires.size();
        rig.clock.interrupt(thread.join());
        rig.clock.advance(Rig.TTL.multipliedBy(2));
        assertThatThrownBy(waiter::join).hasCauseInstanceOf(InterruptedException.class);
        assertThat(rig.wire.acquires).hasSize(asked);
        assertThat(rig.holder()).isEmpty();
    }

    @Test
    void aReleaseRunsWithTheFlagClearAndSetsItAgain() {
        Lease lease = rig.held();
        List<Boolean> flags = flagsAtRelease();
        Thread.currentThread().interrupt();
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(flags).containsExactly(false);
    }

    @Test
    void aReleaseKeepsAFlagThatIsSetMeanwhile() {
        Lease lease = rig.held();
        rig.wire.onRelease(step -> {
            Thread.currentThread().interrupt();
            return step.get();
        });
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aReleaseThatIsInterruptedWhileItWaitsForItsTurnIsDoneInTheBackground() throws Exception {
        Lease lease = rig.held();
        rig.wire.onRenew(step -> {
            rig.hang(Duration.ofSeconds(1));
            return step.get();
        });
        rig.clock.advance(Duration.ofSeconds(10));
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        CompletableFuture<Boolean> flag = rig.clock.fork(() -> {
            thread.complete(Thread.currentThread());
            assertThat(lease.release()).isEqualTo(ReleaseOutcome.UNKNOWN);
            return Thread.interrupted();
        });
        rig.clock.advance(Duration.ZERO);
        rig.clock.interrupt(thread.join());
        assertThat(rig.clock.join(flag, Duration.ZERO)).isTrue();
        rig.clock.advance(Duration.ofSeconds(5));
        assertThat(rig.holder()).isEmpty();
    }

    private List<Boolean> flagsAtRelease() {
        List<Boolean> flags = new CopyOnWriteArrayList<>();
        rig.wire.onRelease(step -> {
            flags.add(Thread.currentThread().isInterrupted());
            return step.get();
        });
        return flags;
    }
}
