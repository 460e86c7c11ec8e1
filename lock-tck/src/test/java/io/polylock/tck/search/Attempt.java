// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck.search;

import io.polylock.spi.Vote;
import io.polylock.tck.search.Decision.Plan;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * One attempt, as far as it still matters.
 *
 * @param phase how far it has come
 * @param floor the largest token that was returned before it was invoked
 * @param talks what it has said to each node
 * @param plan what it wants confirmed; empty in phase 1
 */
record Attempt(Phase phase, long floor, List<Talk> talks, Optional<Plan> plan) {

    /** How far an attempt has come. */
    enum Phase {
        NOT_INVOKED,
        JOINING,
        CONFIRMING,
        GRANTED
    }

    /**
     * What one attempt and one node have said to each other.
     *
     * @param joined whether phase 1 has arrived at the node
     * @param answers to phase 1, as long as the client listens
     * @param confirmed whether phase 2 has arrived at the node
     * @param replies to phase 2, as long as the client listens
     */
    record Talk(boolean joined, List<Vote.Join> answers, boolean confirmed, List<Vote.Confirmation> replies) {

        private static final Talk NONE = new Talk(false, List.of(), false, List.of());

        private Talk joinArrived(Vote.Join answer, Phase phase) {
            return new Talk(true, phase == Phase.JOINING ? with(answers, answer) : List.of(), confirmed, replies);
        }

        private Talk confirmArrived(Vote.Confirmation reply, Phase phase) {
            return new Talk(joined, List.of(), true, phase == Phase.CONFIRMING ? with(replies, reply) : List.of());
        }

        private Talk silent() {
            return new Talk(joined, List.of(), confirmed, List.of());
        }

        private static <T> List<T> with(List<T> list, T last) {
            if (list.contains(last)) {
                return list;
            }
            List<T> longer = new ArrayList<>(list);
            longer.add(last);
            return List.copyOf(longer);
        }
    }

    static Attempt notInvoked(int nodes) {
        return new Attempt(Phase.NOT_INVOKED, 0, Collections.nCopies(nodes, Talk.NONE), Optional.empty());
    }

    Attempt invoked(long largestReturned) {
        return new Attempt(Phase.JOINING, largestReturned, talks, plan);
    }

    Attempt joinArrived(int node, Vote.Join answer) {
        return with(node, talks.get(node).joinArrived(answer, phase));
    }

    Attempt planned(Plan decided) {
        return new Attempt(Phase.CONFIRMING, floor, silentTalks(), Optional.of(decided));
    }

    Attempt confirmArrived(int node, Vote.Confirmation reply) {
        return with(node, talks.get(node).confirmArrived(reply, phase));
    }

    Attempt granted() {
        return new Attempt(Phase.GRANTED, floor, silentTalks(), plan);
    }

    /** The token of an attempt that has a plan. */
    long token() {
        return plan.orElseThrow().token();
    }

    /** On which incarnation of a node the token is to be confirmed, if at all. */
    Optional<String> target(int node) {
        return plan.flatMap(decided -> decided.targets().get(node));
    }

    private List<Talk> silentTalks() {
        return talks.stream().map(Talk::silent).toList();
    }

    private Attempt with(int node, Talk talk) {
        List<Talk> changed = new ArrayList<>(talks);
        changed.set(node, talk);
        return new Attempt(phase, floor, List.copyOf(changed), plan);
    }
}
