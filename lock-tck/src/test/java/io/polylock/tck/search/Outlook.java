// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck.search;

import io.polylock.spi.Vote;
import io.polylock.tck.search.Attempt.Phase;
import io.polylock.tck.search.Attempt.Talk;
import io.polylock.tck.search.Decision.Plan;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * What may become of an attempt, depending on which of its answers arrive. An answer matters only when the client decides, so
 * that is when those that have arrived are chosen; lost and late are the same until then.
 *
 * @param plans what it may decide at the end of phase 1
 * @param mayGrant whether it may succeed now
 * @param hopeless whether it cannot succeed any more unless a request arrives twice
 */
record Outlook(List<Plan> plans, boolean mayGrant, boolean hopeless) {

    static Outlook of(Attempt attempt, Decision decision) {
        if (attempt.phase() == Phase.JOINING) {
            Set<Plan> plans = new LinkedHashSet<>();
            choose(attempt.talks(), Talk::answers, List.of())
                    .forEach(answers -> decision.plan(answers).ifPresent(plans::add));
            return new Outlook(List.copyOf(plans), false, false);
        }
        if (attempt.phase() == Phase.CONFIRMING) {
            return new Outlook(
                    List.of(),
                    mayGrant(attempt, attempt.talks(), decision),
                    !mayGrant(attempt, atBest(attempt), decision));
        }
        return new Outlook(List.of(), false, false);
    }

    private static boolean mayGrant(Attempt attempt, List<Talk> talks, Decision decision) {
        Plan plan = attempt.plan().orElseThrow();
        return choose(talks, Talk::replies, List.of()).stream().anyMatch(replies -> decision.granted(plan, replies));
    }

    /** As if every node that will be asked were to confirm. */
    private static List<Talk> atBest(Attempt attempt) {
        List<Talk> best = new ArrayList<>();
        for (int node = 0; node < attempt.talks().size(); node++) {
            Talk talk = attempt.talks().get(node);
            boolean ahead = !talk.confirmed() && attempt.target(node).isPresent();
            best.add(ahead ? new Talk(true, List.of(), true, List.of(new Vote.Confirmed())) : talk);
        }
        return best;
    }

    private static <T> List<List<Optional<T>>> choose(
            List<Talk> talks, Function<Talk, List<T>> heard, List<Optional<T>> chosen) {
        if (chosen.size() == talks.size()) {
            return List.of(chosen);
        }
        List<List<Optional<T>>> all = new ArrayList<>(choose(talks, heard, and(chosen, Optional.empty())));
        for (T answer : heard.apply(talks.get(chosen.size()))) {
            all.addAll(choose(talks, heard, and(chosen, Optional.of(answer))));
        }
        return all;
    }

    private static <T> List<Optional<T>> and(List<Optional<T>> list, Optional<T> last) {
        List<Optional<T>> longer = new ArrayList<>(list);
        longer.add(last);
        return longer;
    }
}
