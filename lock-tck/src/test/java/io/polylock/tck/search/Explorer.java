// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck.search;

import io.polylock.tck.search.Attempt.Phase;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;

/** Visits every world that a scenario can lead to, nearest first: the first violation comes with a shortest schedule. */
final class Explorer {

    /**
     * What a search has found.
     *
     * @param states how many distinct worlds were seen
     * @param situations how many times a real node was asked
     * @param granted how many attempts succeeded in one world at most; a search in which nobody succeeds shows nothing
     * @param took how long it took
     * @param violation the nearest violation, if there is one; without one the search was complete
     */
    record Report(int states, int situations, int granted, Duration took, Optional<Violation> violation) {}

    /**
     * Something that must not happen.
     *
     * @param objection what is wrong
     * @param schedule how it came about
     */
    record Violation(String objection, List<String> schedule) {}

    private final Moves moves;
    private final int limit;
    private final Set<World> seen = new HashSet<>();
    private final Queue<World> waiting = new ArrayDeque<>();
    private Optional<Violation> violation = Optional.empty();
    private int granted;

    private Explorer(Scenario scenario, int limit) {
        this.moves = new Moves(scenario);
        this.limit = limit;
    }

    /**
     * Searches to the end or to the first violation.
     *
     * @param scenario what may happen
     * @param limit how many worlds the machine can hold
     * @throws IllegalStateException if there are more; a search that was cut off proves nothing
     */
    static Report search(Scenario scenario, int limit) {
        long start = System.nanoTime();
        Explorer explorer = new Explorer(scenario, limit);
        explorer.run();
        return new Report(
                explorer.seen.size(),
                explorer.moves.situations(),
                explorer.granted,
                Duration.ofNanos(System.nanoTime() - start),
                explorer.violation);
    }

    private void run() {
        World first = moves.first();
        seen.add(first);
        waiting.add(first);
        while (violation.isEmpty() && !waiting.isEmpty()) {
            moves.from(waiting.remove(), this::reached);
        }
    }

    private void reached(Move move, World next) {
        if (violation.isPresent() || !seen.add(next)) {
            return;
        }
        if (seen.size() > limit) {
            throw new IllegalStateException("more than " + limit + " worlds");
        }
        if (move instanceof Move.Granted winner) {
            List<Attempt> attempts = moves.attempts(next);
            granted = Math.max(granted, (int) attempts.stream()
                    .filter(attempt -> attempt.phase() == Phase.GRANTED)
                    .count());
            violation = Judge.objection(winner.attempt(), attempts).map(why -> new Violation(why, schedule(next)));
        }
        if (moves.matters(next)) {
            waiting.add(next);
        }
    }

    /** The moves to a world, found again from the worlds on the way to it. */
    private List<String> schedule(World last) {
        List<String> schedule = new ArrayList<>();
        World after = last;
        for (World before = last.before(); before != null; before = after.before()) {
            World target = after;
            List<String> found = new ArrayList<>();
            moves.from(before, (move, next) -> {
                if (next.equals(target)) {
                    found.add(move.toString());
                }
            });
            schedule.add(found.get(0));
            after = before;
        }
        Collections.reverse(schedule);
        return schedule;
    }
}
