// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck.search;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Everything at one moment: the time, what may still go wrong, and the numbers of the states of nodes and attempts. */
final class World {

    private final int ticks;
    private final int doubled;
    private final int restarts;
    private final int[] nodes;
    private final int[] attempts;
    /** Not part of the state: the world from which this one was reached first, on a shortest way. */
    private final @Nullable World before;

    private World(int ticks, int doubled, int restarts, int[] nodes, int[] attempts, @Nullable World before) {
        this.ticks = ticks;
        this.doubled = doubled;
        this.restarts = restarts;
        this.nodes = nodes;
        this.attempts = attempts;
        this.before = before;
    }

    static World first(int[] nodes, int[] attempts) {
        return new World(0, 0, 0, nodes, attempts, null);
    }

    int ticks() {
        return ticks;
    }

    int doubled() {
        return doubled;
    }

    int restarts() {
        return restarts;
    }

    int nodes() {
        return nodes.length;
    }

    int node(int number) {
        return nodes[number];
    }

    int attempts() {
        return attempts.length;
    }

    int attempt(int number) {
        return attempts[number];
    }

    @Nullable
    World before() {
        return before;
    }

    World afterTick() {
        return new World(ticks + 1, doubled, restarts, nodes, attempts, this);
    }

    /** Time has passed since a node lost everything. */
    World afterRestartAndTick(int node, int nodeState) {
        return new World(ticks + 1, doubled, restarts + 1, replaced(nodes, node, nodeState), attempts, this);
    }

    World withAttempt(int number, int state) {
        return new World(ticks, doubled, restarts, nodes, replaced(attempts, number, state), this);
    }

    /** A request has arrived, which changes a node and an attempt. */
    World afterRequest(int node, int nodeState, int attempt, int attemptState, int repeated, int restarted) {
        return new World(
                ticks,
                doubled + repeated,
                restarts + restarted,
                replaced(nodes, node, nodeState),
                replaced(attempts, attempt, attemptState),
                this);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof World world
                && world.ticks == ticks
                && world.doubled == doubled
                && world.restarts == restarts
                && Arrays.equals(world.nodes, nodes)
                && Arrays.equals(world.attempts, attempts);
    }

    @Override
    public int hashCode() {
        int hash = (ticks * 31 + doubled) * 31 + restarts;
        for (int node : nodes) {
            hash = hash * 0x01000193 + node * 0x9E3779B1;
        }
        for (int attempt : attempts) {
            hash = Integer.rotateLeft(hash, 11) * 0x01000193 + attempt * 0x85EBCA6B;
        }
        return hash ^ hash >>> 15;
    }

    private static int[] replaced(int[] values, int index, int value) {
        if (values[index] == value) {
            return values;
        }
        int[] changed = values.clone();
        changed[index] = value;
        return changed;
    }
}
