// SPDX-License-Identifier: Apache-2.0
package io.polylock.explore;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The choices of one schedule and which of them are still to be varied: depth first, last choice first. What has been explored
 * and does not depend on what came after it sleeps (Godefroid, <i>Partial-Order Methods</i>, 1996): exploring it later would lead
 * to a schedule that was seen in another order.
 */
final class Path {

    static final int PRUNED = -1;

    private final boolean sleeping;
    private final List<Node> nodes = new ArrayList<>();
    private final Map<String, Long> asleep = new HashMap<>();
    private int depth;
    private Node chosenAt;

    private static final class Node {

        private final List<String> keys;
        private final boolean[] closed;
        private final long[] footprints;
        private int chosen;

        Node(List<String> keys) {
            this.keys = keys;
            this.closed = new boolean[keys.size()];
            this.footprints = new long[keys.size()];
        }

        boolean choose(int from) {
            for (int i = from; i < closed.length; i++) {
                if (!closed[i]) {
                    chosen = i;
                    return true;
                }
            }
            return false;
        }
    }

    private Path(boolean sleeping) {
        this.sleeping = sleeping;
    }

    /** Every order. */
    static Path ofAll() {
        return new Path(false);
    }

    /** One of all orders that differ in nothing that matters. */
    static Path ofAllThatDiffer() {
        return new Path(true);
    }

    /** One schedule, as it was chosen before. */
    static Path replaying(List<Integer> choices) {
        Path path = new Path(false);
        choices.forEach(choice -> {
            Node node = new Node(List.of());
            node.chosen = choice;
            path.nodes.add(node);
        });
        return path;
    }

    /** Which of the options comes next; {@link #PRUNED} if all of them lead to what was seen. */
    int choose(List<String> keys) {
        if (keys.size() == 1) {
            chosenAt = null;
            return asleep.containsKey(keys.get(0)) ? PRUNED : 0;
        }
        Node node;
        if (depth < nodes.size()) {
            node = nodes.get(depth);
            if (!node.keys.isEmpty() && !node.keys.equals(keys)) {
                throw new IllegalStateException(
                        "the scenario is not deterministic: " + keys + " where there was " + node.keys);
            }
        } else {
            node = new Node(List.copyOf(keys));
            for (int i = 0; i < node.closed.length; i++) {
                node.closed[i] = asleep.containsKey(keys.get(i));
            }
            if (!node.choose(0)) {
                return PRUNED;
            }
            nodes.add(node);
        }
        depth++;
        if (sleeping) {
            for (int i = 0; i < node.chosen; i++) {
                if (!asleep.containsKey(keys.get(i))) {
                    asleep.put(keys.get(i), node.footprints[i]);
                }
            }
        }
        chosenAt = node;
        return node.chosen;
    }

    /** The chosen step has been done. */
    void stepped(long footprint) {
        if (chosenAt != null && !chosenAt.keys.isEmpty()) {
            chosenAt.footprints[chosenAt.chosen] = footprint;
        }
        asleep.values().removeIf(other -> !Footprint.independent(footprint, other));
    }

    /** Goes to the next schedule; false if there is none. */
    boolean advance() {
        depth = 0;
        chosenAt = null;
        asleep.clear();
        while (!nodes.isEmpty()) {
            Node last = nodes.get(nodes.size() - 1);
            if (last.choose(last.chosen + 1)) {
                return true;
            }
            nodes.remove(nodes.size() - 1);
        }
        return false;
    }

    /** What was chosen so far in this schedule, for {@link #replaying}. */
    List<Integer> choices() {
        return nodes.subList(0, Math.min(depth, nodes.size())).stream()
                .map(node -> node.chosen)
                .toList();
    }
}
