// SPDX-License-Identifier: Apache-2.0
package io.polylock.explore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polylock.explore.Site.Make;
import io.polylock.spi.Acquisition;
import io.polylock.spi.BackendFeature;
import io.polylock.spi.Handover;
import io.polylock.spi.Inspection;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockClock;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import io.polylock.spi.Ownership;
import io.polylock.spi.ReleaseSignals;
import io.polylock.spi.ReleaseSignals.SignalListener;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the explorer finds if something is wrong, and that it sees all orders there are. */
class ExplorerTest {

    private static final long LIMIT = 20_000;

    @Test
    void countsAllOrdersOfStepsThatDepend() {
        Report report = Explorer.explore(scene -> threeSteps(scene, 2), Bounds.ALL_ORDERS, LIMIT);

        // two actors of three steps each; starting touches nothing of the other
        assertThat(report.schedules()).isEqualTo(20);
        assertThat(report.complete()).isTrue();
    }

    private static void threeSteps(Scene scene, int actors) {
        for (int i = 0; i < actors; i++) {
            scene.actor("actor " + i, () -> {
                scene.step("one");
                scene.step("two");
                scene.step("three");
            });
        }
    }

    @Test
    void seesOneOrderOfStepsThatDoNotDepend() {
        Report report = Explorer.explore(
                scene -> {
                    scene.actor("one", () -> scene.schedule().point(Schedule.Point.WAITS));
                    scene.actor("other", () -> scene.schedule().point(Schedule.Point.WAITS));
                },
                Bounds.ALL_ORDERS,
                LIMIT);

        assertThat(report.schedules()).isEqualTo(1);
    }

    @Test
    void leavesOutNoOutcome() {
        leavesOutNoOutcome(Bounds.ALL_ORDERS);
    }

    @Test
    @Tag("full")
    void leavesOutNoOutcomeOfFaults() {
        leavesOutNoOutcome(Bounds.ALL_ORDERS.withFaults(1));
    }

    private static void leavesOutNoOutcome(Bounds bounds) {
        Set<String> ofSome = new TreeSet<>();
        Set<String> ofAll = new TreeSet<>();

        Report some = Explorer.explore(scene -> competing(scene, ofSome), bounds, 1_000_000);
        Report all = Explorer.explore(scene -> competing(scene, ofAll), bounds.withPreemptions(1_000), 1_000_000);

        System.out.println(some.row("outcomes: " + ofSome));
        System.out.println(all.row("outcomes of all orders: " + ofAll));
        assertThat(ofSome).hasSizeGreaterThan(3).isEqualTo(ofAll);
        assertThat(some.schedules()).isLessThan(all.schedules() / 10);
        assertThat(all.complete()).isTrue();
    }

    private static void competing(Scene scene, Set<String> outcomes) {
        String[] got = new String[2];
        for (int i = 0; i < 2; i++) {
            int mine = i;
            Site site = scene.site("m" + i);
            scene.actor(
                    "caller " + i,
                    () -> got[mine] = site.tryAcquire(Site.OPTIONS)
                            .map(hold -> hold.token() % 10 + " " + hold.release())
                            .orElse("nothing"));
        }
        scene.atTheEnd(() -> {
            outcomes.add(String.join(", ", got));
            return "";
        });
    }

    @Test
    void doesNotCallCompleteWhatWasCutOff() {
        assertThat(Explorer.explore(scene -> threeSteps(scene, 3), Bounds.ALL_ORDERS, 100)
                        .complete())
                .isFalse();
    }

    @Test
    void findsALostUpdate() {
        found("a counter that is read and written in two steps", "2 additions gave 1", Bounds.ALL_ORDERS, scene -> {
            int[] counter = new int[1];
            for (String name : new String[] {"one", "other"}) {
                scene.actor(name, () -> {
                    scene.step("reads");
                    int read = counter[0];
                    scene.step("writes");
                    counter[0] = read + 1;
                });
            }
            scene.atTheEnd(() -> counter[0] == 2 ? "" : "2 additions gave " + counter[0]);
        });
    }

    @Test
    void findsADeadlock() {
        found("two that wait for each other", "nobody can go on", Bounds.ALL_ORDERS, scene -> {
            boolean[] taken = new boolean[2];
            for (int i = 0; i < 2; i++) {
                int mine = i;
                scene.actor("actor " + i, () -> {
                    take(scene, taken, mine);
                    take(scene, taken, 1 - mine);
                    taken[mine] = false;
                    taken[1 - mine] = false;
                });
            }
        });
    }

    private static void take(Scene scene, boolean[] taken, int which) {
        scene.step("takes " + which);
        if (taken[which]) {
            scene.schedule().block(List.of(Way.free("has " + which))); // nobody wakes it
        }
        taken[which] = true;
    }

    @Test
    void findsAThreadThatDoesNotComeBack() {
        Bounds bounds = Bounds.ALL_ORDERS.withPatience(Duration.ofMillis(200));
        found(
                "a loop",
                "actor does not come back",
                bounds,
                scene -> scene.actor("actor", () -> {
                    while (!Thread.interrupted()) {
                        Thread.onSpinWait();
                    }
                }));
    }

    @Test
    void findsAScenarioThatIsNotTheSameEachTime() {
        int[] runs = new int[1];

        assertThatThrownBy(() -> Explorer.explore(
                        scene -> {
                            threeSteps(scene, 2);
                            scene.actor("another " + runs[0]++, () -> {});
                        },
                        Bounds.ALL_ORDERS,
                        LIMIT))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not deterministic");
    }

    @Test
    void findsAPauseThatLosesAnEarlyWakeUp() {
        found("a pause that loses an early wake-up", "took PT2S", Bounds.ALL_ORDERS, scene -> {
            Hold hold = scene.site("m", Make.RIGHT.withClock(Forgetful::new)).held(Site.OPTIONS);
            scene.actor("one", hold::release);
            scene.actor("other", hold::release);
        });
    }

    @Test
    void findsAnUndoThatStopsAfterOneAnswer() {
        found(
                "an undo that stops after one answer",
                "the store keeps a lock that nobody holds",
                Bounds.ALL_ORDERS.withFaults(1),
                scene -> {
                    Site site = scene.site("m", Make.RIGHT.withBackend(UndoneOnce::new));
                    scene.actor("caller", () -> site.tryAcquire(Site.OPTIONS).ifPresent(Hold::release));
                });
    }

    @Test
    void findsAWaiterThatNoSignalReaches() {
        found("signals that do not arrive", "acquire took", Bounds.ALL_ORDERS, scene -> {
            Hold hold = scene.site("m").held(Site.OPTIONS);
            Site deaf = scene.site(
                    "n",
                    Make.RIGHT.withBackend(backend -> new Instead<>(backend, ReleaseSignals.class, deaf(backend))));
            scene.actor("holder", hold::release);
            scene.actor("waiter", () -> deaf.acquireAtOnce(Site.OPTIONS, Duration.ofMinutes(5))
                    .ifPresent(Hold::release));
        });
    }

    private static ReleaseSignals deaf(LockBackend backend) {
        SignalListener nobody = new SignalListener() {
            @Override
            public void released() {}

            @Override
            public void gap() {}
        };
        return (name, listener, answerWithin) ->
                backend.feature(ReleaseSignals.class).orElseThrow().watch(name, nobody, answerWithin);
    }

    @Test
    void findsAWaiterOfTheSameManagerWhoseWakeUpGetsLost() {
        found("a queue whose wake-ups get lost", "acquire took", Bounds.ALL_ORDERS, scene -> {
            Site site = scene.site("m", Make.RIGHT.withClock(Forgetful::new));
            Hold hold = site.held(Site.OPTIONS);
            scene.actor("holder", hold::release);
            scene.actor("waiter", () -> site.acquireAtOnce(Site.OPTIONS, Duration.ofMinutes(5))
                    .ifPresent(Hold::release));
        });
    }

    @Test
    void findsAHandOverThatDidNotHappen() {
        found("a hand-over that did not happen", "held, but not in the store", Bounds.ALL_ORDERS, scene -> {
            Handover pretended = (giver, heir) -> new Acquisition.Granted(OptionalLong.of(1L << 52));
            Site site = scene.site(
                    "m", Make.RIGHT.withBackend(backend -> new Instead<>(backend, Handover.class, pretended)));
            Hold hold = site.held(Site.OPTIONS);
            scene.actor("holder", hold::release);
            scene.actor("waiter", () -> site.acquire(Site.OPTIONS, Duration.ofMinutes(5))
                    .ifPresent(Hold::release));
        });
    }

    @Test
    void findsAStoreThatGrantsInTwoSteps() {
        found("a store that grants in two steps", "held", Bounds.ALL_ORDERS, scene -> {
            for (String name : new String[] {"m", "n"}) {
                Site site = scene.site(name, Make.RIGHT.withBackend(backend -> new TwoSteps(backend, scene)));
                scene.actor(name + "'s caller", () -> site.tryAcquire(Site.OPTIONS));
            }
        });
    }

    private static void found(String what, String objection, Bounds bounds, Scenario scenario) {
        Report report = Explorer.findShortest(scenario, bounds, LIMIT);
        System.out.println(report.row(what));
        Violation violation = report.violation().orElseThrow();
        System.out.println("    " + violation);
        assertThat(violation.objection()).contains(objection);
        assertThat(Explorer.replay(scenario, bounds, violation.choices()))
                .as("the schedule, once more")
                .map(Violation::steps)
                .contains(violation.steps());
    }

    /** A clock whose pauses forget a wake-up that nobody waits for. */
    private record Forgetful(LockClock right) implements LockClock {

        @Override
        public long nanoTime() {
            return right.nanoTime();
        }

        @Override
        public long epochMicros() {
            return right.epochMicros();
        }

        @Override
        public Workers newWorkers(String name) {
            return right.newWorkers(name);
        }

        @Override
        public Pause newPause() {
            Pause pause = right.newPause();
            boolean[] waiting = new boolean[1];
            return new Pause() {
                @Override
                public void await(Duration longest) throws InterruptedException {
                    pause.await(Duration.ZERO);
                    waiting[0] = true;
                    pause.await(longest);
                    waiting[0] = false;
                }

                @Override
                public void wake() {
                    if (waiting[0]) {
                        pause.wake();
                    }
                }
            };
        }
    }

    /** A backend that only pretends to repeat a release. */
    private static final class UndoneOnce extends Passing {

        private final Set<OwnerToken> released = new HashSet<>();

        UndoneOnce(LockBackend right) {
            super(right);
        }

        @Override
        public Ownership release(LockRequest request) {
            if (released.contains(request.owner())) {
                return Ownership.ABSENT;
            }
            Ownership found = right.release(request);
            released.add(request.owner());
            return found;
        }
    }

    /** A backend that looks whether the lock is free and then takes it, whatever happened in between. */
    private static final class TwoSteps extends Passing {

        private final Scene scene;

        TwoSteps(LockBackend right, Scene scene) {
            super(right);
            this.scene = scene;
        }

        @Override
        public Acquisition tryAcquire(LockRequest request) {
            Inspection inspection = right.feature(Inspection.class).orElseThrow();
            if (inspection.inspect(request.name(), request.answerWithin()).isPresent()) {
                return new Acquisition.Contended(Optional.empty());
            }
            scene.forget();
            return right.tryAcquire(request);
        }
    }

    /** A backend with another feature than its own. */
    private static final class Instead<G extends BackendFeature> extends Passing {

        private final Class<G> which;
        private final G wrong;

        Instead(LockBackend right, Class<G> which, G wrong) {
            super(right);
            this.which = which;
            this.wrong = wrong;
        }

        @Override
        public <F extends BackendFeature> Optional<F> feature(Class<F> type) {
            return type == which ? Optional.of(type.cast(wrong)) : super.feature(type);
        }
    }

    private static class Passing implements LockBackend {

        final LockBackend right;

        Passing(LockBackend right) {
            this.right = right;
        }

        @Override
        public Acquisition tryAcquire(LockRequest request) {
            return right.tryAcquire(request);
        }

        @Override
        public Ownership renew(LockRequest request) {
            return right.renew(request);
        }

        @Override
        public Ownership release(LockRequest request) {
            return right.release(request);
        }

        @Override
        public <F extends BackendFeature> Optional<F> feature(Class<F> type) {
            return right.feature(type);
        }

        @Override
        public void close() {
            right.close();
        }
    }
}
