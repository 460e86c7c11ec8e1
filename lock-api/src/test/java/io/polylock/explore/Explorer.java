// SPDX-License-Identifier: Apache-2.0
package io.polylock.explore;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Runs a scenario in all orders that its bounds allow, each from scratch. */
final class Explorer {

    private final Scenario scenario;
    private final Bounds bounds;
    private final Crew crew = new Crew();
    private long schedules;
    private long pruned;
    private long steps;

    private Explorer(Scenario scenario, Bounds bounds) {
        this.scenario = scenario;
        this.bounds = bounds;
    }

    /** Explores until all is seen, something is wrong, or the limit of schedules is reached. */
    static Report explore(Scenario scenario, Bounds bounds, long limit) {
        return new Explorer(scenario, bounds).explore(limit, Seek.FIRST);
    }

    /** As {@link #explore}, but goes on after a violation, to find one in fewer steps. */
    static Report findShortest(Scenario scenario, Bounds bounds, long limit) {
        return new Explorer(scenario, bounds).explore(limit, Seek.SHORTEST);
    }

    /** Runs one schedule again. */
    static Optional<Violation> replay(Scenario scenario, Bounds bounds, List<Integer> choices) {
        return new Explorer(scenario, bounds).once(Path.replaying(choices), Integer.MAX_VALUE);
    }

    private enum Seek {
        FIRST,
        SHORTEST
    }

    private Report explore(long limit, Seek seek) {
        long start = System.nanoTime();
        Path path = bounds.allOrders() ? Path.ofAllThatDiffer() : Path.ofAll();
        Optional<Violation> best = Optional.empty();
        boolean more = true;
        while (more && schedules + pruned < limit && (best.isEmpty() || seek == Seek.SHORTEST)) {
            int shorter = best.map(found -> found.steps().size() - 1).orElse(Integer.MAX_VALUE);
            Optional<Violation> found = once(path, shorter);
            best = found.isPresent() ? found : best;
            more = path.advance();
        }
        return new Report(bounds, schedules, pruned, steps, !more, Duration.ofNanos(System.nanoTime() - start), best);
    }

    private Optional<Violation> once(Path path, int shorter) {
        Schedule schedule = new Schedule(path, bounds, crew);
        schedule.notLongerThan(shorter);
        Scene scene = new Scene(schedule);
        try {
            scenario.arrange(scene);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        Schedule.End end = schedule.run(scene::verdict);
        steps += schedule.steps();
        if (end == Schedule.End.PRUNED) {
            pruned++;
        } else {
            schedules++;
        }
        return end == Schedule.End.VIOLATED ? Optional.of(schedule.violation()) : Optional.empty();
    }
}
