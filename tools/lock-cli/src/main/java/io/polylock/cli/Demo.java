// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import io.polylock.cli.Stage.Working;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** The play: workers want one lock, one dies holding it, one sleeps through its lease; then the books are checked. */
final class Demo implements AutoCloseable {

    private static final int TRIES = 20;
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final Duration PAST_TTL = DemoPlan.TTL.plusMillis(300);

    private final DemoPlan plan;
    private final DemoFiles files;
    private final Screen screen;
    private final Chronicle chronicle;
    private final Stage stage;

    Demo(DemoPlan plan, DemoFiles files, Screen screen) {
        this.plan = plan;
        this.files = files;
        this.screen = screen;
        this.chronicle = new Chronicle();
        this.stage = new Stage(files, chronicle, new Narrator(screen, chronicle));
    }

    /** Ends all processes at once; may be called from another thread, and again. */
    void endAll() {
        stage.endAll();
    }

    @Override
    public void close() {
        endAll();
    }

    Verdict run() throws IOException, InterruptedException {
        stage.open(plan);
        screen.event("all workers have started");
        Duration act = plan.length().dividedBy(5);
        stage.listen(act);
        int killed = killOne();
        stage.listen(act);
        int sleeper = stopOne();
        stage.listen(act);
        for (int i = 0;
                i < TRIES
                        && plan.owners() == Owners.IGNORED
                        && verdict(killed, sleeper).isSound();
                i++) {
            stopOne();
            stage.listen(act);
        }
        stage.finish();
        return verdict(killed, sleeper);
    }

    private Verdict verdict(int killed, int sleeper) throws IOException {
        return new Verdict(
                plan,
                chronicle.tallies(),
                Checker.check(chronicle.holds()),
                chronicle.holds().stream().anyMatch(hold -> hold.token() > 0),
                new CounterFile(DemoFiles.counter(files.directory())).read(),
                stage.clocksAgree(),
                killed,
                sleeper);
    }

    /** Kills a worker that holds the lock, and waits until another one has it. */
    private int killOne() throws InterruptedException {
        for (int i = 0; i < TRIES; i++) {
            Working victim = stage.nextWorking(any -> true);
            int number = victim.worker().number();
            if (stage.stop(victim).isPresent()) { // first stopped, so that it cannot finish while we aim
                stage.kill(victim.worker());
                long start = System.nanoTime();
                screen.event("@|bold,red ACCIDENT: %s (pid %d) is killed (SIGKILL) while it holds the lock|@"
                        .formatted(Narrator.name(number), victim.worker().pid()));
                Working heir = stage.nextWorking(any -> true);
                screen.event("  nobody could release for the dead: its TTL ended it, and %s got the lock %.2f s later"
                        .formatted(Narrator.name(heir.worker().number()), Screen.seconds(System.nanoTime() - start)));
                return number;
            }
        }
        throw new DemoFailure("no worker could be killed while it held the lock: each was done before the signal came");
    }

    /** Stops a worker that holds the lock for longer than its TTL, and lets it go on when another one has the lock. */
    private int stopOne() throws InterruptedException {
        for (int i = 0; i < TRIES; i++) {
            Working victim = stage.nextWorking(any -> true);
            int number = victim.worker().number();
            long start = System.nanoTime();
            Optional<Stopped> stop = stage.stop(victim);
            if (stop.isEmpty()) {
                continue;
            }
            try {
                screen.event("@|bold,red ACCIDENT: %s (pid %d) is stopped (SIGSTOP) while it holds the lock|@"
                        .formatted(Narrator.name(number), victim.worker().pid()));
                stage.listen(PAST_TTL);
                stage.nextWorking(worker -> worker.number() != number);
                screen.event("@|bold %s goes on (SIGCONT) after %.2f s, in the middle of its work|@"
                        .formatted(Narrator.name(number), Screen.seconds(System.nanoTime() - start)));
            } finally {
                stop.get().resume();
            }
            int lostBefore = chronicle.tally(number).lost();
            if (!stage.listen(LIMIT, () -> chronicle.tally(number).lost() > lostBefore)) {
                throw new DemoFailure(Narrator.name(number) + " slept through its lease and was not told");
            }
            return number;
        }
        throw new DemoFailure(
                "no worker could be stopped while it held the lock: each was done before the signal came");
    }
}
