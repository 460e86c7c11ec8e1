// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck.search;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What may happen in a search.
 *
 * @param attempts how many; the first is invoked first, the others at any later time in their order
 * @param heir whether the second attempt is the heir of the first: invoked after its success, taking the locks over
 * @param clocks how far the clock of each node is off
 * @param ticks how often time may pass
 * @param tick how much time passes at once
 * @param doubled how many requests may arrive twice
 * @param restarts how many nodes may restart empty
 * @param loss when a node may lose its fencing counter
 * @param decision what the clients do
 * @param dropped what the nodes do not do
 */
record Scenario(
        int attempts,
        Invocation heir,
        List<Duration> clocks,
        int ticks,
        Duration tick,
        int doubled,
        int restarts,
        CounterLoss loss,
        Decision decision,
        Set<Node.Rule> dropped) {

    /** When the second attempt starts. */
    enum Invocation {
        /** At any time. */
        INDEPENDENT,
        /** When the first has succeeded, with its locks. */
        HAND_OVER
    }

    /** When a node may lose its fencing counter. */
    enum CounterLoss {
        NEVER,
        /** If the node's clock is not behind the clock that minted the counter's token; the token is one ahead of that. */
        CLOCK_HAS_REACHED_THE_MINTING,
        /** If the node's clock is ahead of the counter. */
        CLOCK_HAS_PASSED_THE_TOKEN
    }

    /** Three nodes with equal clocks, two attempts, time standing still; any message late or lost, any lock lost. */
    static Scenario asDesigned() {
        return new Scenario(
                2,
                Invocation.INDEPENDENT,
                List.of(Duration.ZERO, Duration.ZERO, Duration.ZERO),
                0,
                Duration.ZERO,
                0,
                0,
                CounterLoss.NEVER,
                QuorumRule.asDesigned(3),
                EnumSet.noneOf(Node.Rule.class));
    }

    Scenario withHandOver() {
        return new Scenario(
                attempts, Invocation.HAND_OVER, clocks, ticks, tick, doubled, restarts, loss, decision, dropped);
    }

    Scenario withAttempts(int count) {
        return new Scenario(count, heir, clocks, ticks, tick, doubled, restarts, loss, decision, dropped);
    }

    Scenario withClocks(Duration... offsets) {
        return new Scenario(attempts, heir, List.of(offsets), ticks, tick, doubled, restarts, loss, decision, dropped);
    }

    Scenario withTime(int count, Duration each) {
        return new Scenario(attempts, heir, clocks, count, each, doubled, restarts, loss, decision, dropped);
    }

    Scenario withDoubled(int requests) {
        return new Scenario(attempts, heir, clocks, ticks, tick, requests, restarts, loss, decision, dropped);
    }

    Scenario withRestarts(int count) {
        return new Scenario(attempts, heir, clocks, ticks, tick, doubled, count, loss, decision, dropped);
    }

    Scenario withCounterLoss(CounterLoss when) {
        return new Scenario(attempts, heir, clocks, ticks, tick, doubled, restarts, when, decision, dropped);
    }

    Scenario withDecision(Decision other) {
        return new Scenario(attempts, heir, clocks, ticks, tick, doubled, restarts, loss, other, dropped);
    }

    Scenario without(QuorumRule.Rule rule) {
        return withDecision(QuorumRule.asDesigned(clocks.size()).without(rule));
    }

    Scenario without(Node.Rule rule, Node.Rule... more) {
        return new Scenario(
                attempts, heir, clocks, ticks, tick, doubled, restarts, loss, decision, EnumSet.of(rule, more));
    }

    /** How much time has passed. */
    long micros(int passed) {
        return passed * (tick.toNanos() / 1_000);
    }
}
