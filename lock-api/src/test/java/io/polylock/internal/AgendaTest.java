// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polylock.memory.VirtualClock;
import io.polylock.spi.LockClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

class AgendaTest {

    private final VirtualClock clock = new VirtualClock();
    private final Workers workers = new Workers(clock.newWorkers("agenda-test"));
    private final Agenda agenda = new Agenda(clock, workers);
    private final List<String> done = new ArrayList<>();

    private LockClock.Scheduled after(long seconds, String what) {
        return agenda.after(
                Duration.ofSeconds(seconds),
                () -> done.add(what + "@" + Duration.ofNanos(clock.nanoTime()).toSeconds()));
    }

    @Test
    void runsWhatIsDueInItsOrderAndExactlyThen() {
        after(3, "c");
        after(1, "a");
        after(2, "b");
        after(1, "a2");
        clock.advance(Duration.ofSeconds(1).minusNanos(1));
        assertThat(done).isEmpty();
        clock.advance(Duration.ofSeconds(9));
        assertThat(done).containsExactly("a@1", "a2@1", "b@2", "c@3");
    }

    @Test
    void hasOneTimerAtATime() {
        for (int i = 100; i > 0; i--) {
            after(i, "x");
            assertThat(workers.pending).isEqualTo(1);
        }
        clock.advance(Duration.ofSeconds(50));
        assertThat(workers.pending).isEqualTo(1);
        clock.advance(Duration.ofSeconds(50));
        assertThat(done).hasSize(100);
        assertThat(workers.pending).isZero();
    }

    @Test
    void setsTheTimerOnlyForWhatComesEarlier() {
        after(10, "first");
        for (int i = 0; i < 1_000; i++) {
            after(20, "later").cancel();
            after(10, "same").cancel();
        }
        assertThat(workers.set).isEqualTo(1);
        after(9, "earlier").cancel();
        assertThat(workers.set).isEqualTo(2);
        clock.advance(Duration.ofSeconds(10));
        assertThat(done).containsExactly("first@10");
    }

    @Test
    void doesNotRunWhatWasCancelled() {
        LockClock.Scheduled cancelled = after(1, "cancelled");
        after(1, "other");
        cancelled.cancel();
        cancelled.cancel();
        clock.advance(Duration.ofSeconds(2));
        assertThat(done).containsExactly("other@1");
    }

    @Test
    void doesNotRunWhatWasCancelledByATaskOfTheSameMoment() {
        List<LockClock.Scheduled> second = new ArrayList<>();
        agenda.after(Duration.ofSeconds(1), () -> second.get(0).cancel());
        second.add(after(1, "cancelled"));
        clock.advance(Duration.ofSeconds(2));
        assertThat(done).isEmpty();
    }

    @Test
    void oneThatThrowsKeepsNoOtherFromRunning() {
        agenda.after(Duration.ofSeconds(1), () -> {
            throw new IllegalStateException("of the task");
        });
        agenda.after(Duration.ofSeconds(1), () -> {
            throw new StackOverflowError("of the task");
        });
        after(1, "same moment");
        after(2, "later");
        clock.advance(Duration.ofSeconds(3));
        assertThat(done).containsExactly("same moment@1", "later@2");
    }

    @Test
    void aTaskMayPlanTheNext() {
        agenda.after(Duration.ofSeconds(1), () -> after(1, "next"));
        after(5, "last");
        clock.advance(Duration.ofSeconds(6));
        assertThat(done).containsExactly("next@2", "last@5");
    }

    @Test
    void whatIsOverdueRunsAtOnce() {
        after(-5, "overdue");
        clock.advance(Duration.ZERO);
        assertThat(done).containsExactly("overdue@0");
    }

    @Test
    void aTimerThatIsEarlyOrFiresTwiceDoesNoHarm() {
        after(2, "a");
        workers.last.run();
        workers.last.run();
        assertThat(done).isEmpty();
        clock.advance(Duration.ofSeconds(2));
        assertThat(done).containsExactly("a@2");
    }

    @Test
    void aTimerThatIsLateFindsAllThatIsDue() {
        workers.deaf = true;
        after(1, "a");
        after(2, "b");
        after(9, "c");
        Runnable late = workers.last;
        workers.deaf = false;
        clock.advance(Duration.ofSeconds(5));
        late.run();
        assertThat(done).containsExactly("a@5", "b@5");
        clock.advance(Duration.ofSeconds(5));
        assertThat(done).containsExactly("a@5", "b@5", "c@9");
    }

    @Test
    void addsNothingIfThereIsNoTimer() {
        workers.broken = true;
        assertThatThrownBy(() -> after(1, "refused")).isInstanceOf(OutOfMemoryError.class);
        assertThat(agenda.size()).isZero();
        workers.broken = false;
        after(2, "taken");
        clock.advance(Duration.ofSeconds(3));
        assertThat(done).containsExactly("taken@2");
    }

    /** Counts timers, and fails or forgets them as a test wants. */
    private static final class Workers implements LockClock.Workers {

        private final LockClock.Workers workers;
        private int pending;
        private int set;
        private boolean deaf;
        private boolean broken;
        private Runnable last = () -> {};

        Workers(LockClock.Workers workers) {
            this.workers = workers;
        }

        @Override
        public LockClock.Scheduled after(Duration delay, Runnable task) {
            if (broken) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            last = task;
            set++;
            if (deaf) {
                return () -> {};
            }
            pending++;
            LockClock.Scheduled scheduled = workers.after(delay, () -> {
                pending--;
                task.run();
            });
            return () -> {
                pending--;
                scheduled.cancel();
            };
        }

        @Override
        public Executor lane(String name, int threads) {
            return workers.lane(name, threads);
        }

        @Override
        public void close() {
            workers.close();
        }
    }
}
