// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck.search;

import io.polylock.tck.search.Attempt.Phase;
import io.polylock.tck.search.Step.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * What a node loses just before a request arrives.
 *
 * @param steps how
 * @param state the number of the node's state afterwards
 * @param restarts how often it restarts empty
 */
record Losses(List<Step> steps, int state, int restarts) {

    /** All that may be lost; each result once. */
    static List<Losses> possible(Scenario scenario, Cluster cluster, World world, int node, List<Attempt> attempts) {
        long micros = scenario.micros(world.ticks());
        List<Losses> all = new ArrayList<>();
        all.add(new Losses(List.of(), world.node(node), 0));
        OptionalInt owner = cluster.owner(world.node(node));
        if (owner.isPresent()) {
            all.add(all.get(0).and(Fault.LOSES_LOCK, cluster, node, micros));
            if (attempts.get(owner.getAsInt()).phase() == Phase.GRANTED) {
                addIfNew(all, all.get(0).and(new Step.Release(owner.getAsInt()), cluster, node, micros));
            }
        }
        if (mayLoseCounter(scenario, cluster, world, node)) {
            for (Losses before : List.copyOf(all)) {
                addIfNew(all, before.and(Fault.LOSES_COUNTER, cluster, node, micros));
            }
        }
        if (world.restarts() < scenario.restarts()) {
            all.add(all.get(0).and(Fault.RESTARTS_EMPTY, cluster, node, micros));
        }
        return all;
    }

    private static boolean mayLoseCounter(Scenario scenario, Cluster cluster, World world, int node) {
        if (cluster.counter(world.node(node)).isEmpty()) {
            return false;
        }
        long ahead = cluster.clockOf(node, scenario.micros(world.ticks()))
                - cluster.counter(world.node(node)).getAsLong();
        return switch (scenario.loss()) {
            case NEVER -> false;
            case CLOCK_HAS_REACHED_THE_MINTING -> ahead >= -1;
            case CLOCK_HAS_PASSED_THE_TOKEN -> ahead > 0;
        };
    }

    private Losses and(Step step, Cluster cluster, int node, long micros) {
        List<Step> longer = new ArrayList<>(steps);
        longer.add(step);
        int lost = restarts + (step == Fault.RESTARTS_EMPTY ? 1 : 0);
        return new Losses(longer, cluster.apply(node, state, micros, step).state(), lost);
    }

    private static void addIfNew(List<Losses> all, Losses other) {
        if (all.stream().noneMatch(known -> known.state == other.state)) {
            all.add(other);
        }
    }
}
