// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LanesTest {

    private final Lanes lanes = new Lanes("lanes-test");
    private final CountDownLatch never = new CountDownLatch(1);

    @Test
    void namesItsDaemonThreads() throws Exception {
        ExecutorService lane = lanes.open("a", 1);
        Thread thread = lane.submit(Thread::currentThread).get(10, TimeUnit.SECONDS);
        assertThat(thread.getName()).isEqualTo("lanes-test-a-1");
        assertThat(thread.isDaemon()).isTrue();
        assertThat(lanes.close()).isEmpty();
    }

    @Test
    void refusesTasksAndLanesAfterTheEnd() {
        ExecutorService lane = lanes.open("a", 1);
        assertThat(lanes.close()).isEmpty();
        assertThatThrownBy(() -> lane.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> lanes.open("b", 1)).isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void returnsTheTasksThatNeverStarted() {
        ExecutorService lane = lanes.open("a", 1);
        lane.execute(this::hang);
        lane.execute(() -> {});
        assertThat(lanes.close()).hasSize(1);
    }

    @Test
    void interruptsAStuckTaskAlsoIfTheCloserIsInterrupted() throws Exception {
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        CountDownLatch started = new CountDownLatch(1);
        lanes.open("idle", 1);
        lanes.open("stuck", 1).execute(() -> {
            started.countDown();
            interrupted.complete(hang());
        });
        assertThat(started.await(10, TimeUnit.SECONDS)).isTrue();
        Thread closer = new Thread(lanes::close);
        closer.start();
        closer.interrupt();
        assertThat(interrupted.get(10, TimeUnit.SECONDS)).isTrue();
        closer.join(10_000);
        assertThat(closer.isAlive()).isFalse();
    }

    @Test
    void givesAllLanesTogetherOneSecondToFinish() throws Exception {
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        CountDownLatch started = new CountDownLatch(2);
        lanes.open("slow", 1).execute(() -> {
            started.countDown();
            hang(800);
        });
        lanes.open("slower", 1).execute(() -> {
            started.countDown();
            interrupted.complete(hang(1_700));
        });
        assertThat(started.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(lanes.close()).isEmpty();
        assertThat(interrupted.get(10, TimeUnit.SECONDS)).isTrue();
    }

    private boolean hang() {
        return hang(20_000);
    }

    /** True if an interrupt ended it. */
    private boolean hang(long longestMillis) {
        try {
            return never.await(longestMillis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return true;
        }
    }
}
