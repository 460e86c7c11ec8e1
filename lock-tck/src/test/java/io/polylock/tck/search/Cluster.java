// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck.search;

import io.polylock.memory.StoreImage;
import io.polylock.spi.Acquisition;
import io.polylock.spi.LockName;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import io.polylock.spi.Vote;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * The real nodes. They are asked once in every distinct situation; as they have no other input than their contents, the clock
 * and the request, the answer is remembered.
 */
final class Cluster {

    private static final LockName NAME = new LockName("searched");
    /** Time before the search, in which the nodes have grown old enough to be counted. */
    private static final long BEFORE = Duration.ofMinutes(10).toNanos() / 1_000;

    /** What a clock that is right shows when the search begins, in microseconds since 1970. */
    static final long BEGINNING = SearchClock.START + BEFORE;

    /**
     * What a node holds.
     *
     * @param image the contents of its store
     * @param restarts how often it has lost everything
     */
    record State(StoreImage image, int restarts) {}

    /**
     * What a step leads to.
     *
     * @param number of the situation
     * @param state the number of the node's next state
     * @param answer what the client would hear
     */
    record Effect(int number, int state, Optional<Vote> answer) {}

    private record Situation(int node, int state, long micros, Step step) {}

    private final Scenario scenario;
    private final SearchClock clock = new SearchClock();
    private final List<Node> nodes = new ArrayList<>();
    private final Table<State> states = new Table<>();
    private final List<LockRequest> requests = new ArrayList<>();
    private final Map<Situation, Effect> known = new HashMap<>();
    private final LockRequest otherLock;
    private final int[] start;

    Cluster(Scenario scenario) {
        this.scenario = scenario;
        this.otherLock = request(new LockName("other"), scenario.attempts());
        this.start = new int[scenario.clocks().size()];
        for (int attempt = 0; attempt < scenario.attempts(); attempt++) {
            requests.add(request(NAME, attempt));
        }
        for (int node = 0; node < start.length; node++) {
            Node real = new Node(clock, scenario.clocks().get(node), scenario.dropped(), NAME);
            real.restart(otherLock);
            nodes.add(real);
            start[node] =
                    states.number(new State(StoreImage.of(real.store()).withIncarnation(incarnation(node, 0)), 0));
        }
    }

    int[] start() {
        return start.clone();
    }

    /** What a node shows on its clock, in microseconds since 1970. */
    long clockOf(int node, long micros) {
        return BEGINNING + micros + scenario.clocks().get(node).toNanos() / 1_000;
    }

    OptionalLong counter(int state) {
        return states.value(state).image.counter(NAME);
    }

    /** The number of the attempt that holds the lock. */
    OptionalInt owner(int state) {
        Optional<OwnerToken> owner = states.value(state).image.owner(NAME);
        return IntStream.range(0, scenario.attempts())
                .filter(attempt ->
                        owner.equals(Optional.of(requests.get(attempt).owner())))
                .findFirst();
    }

    /** How many times a node was really asked. */
    int situations() {
        return known.size();
    }

    Effect apply(int node, int state, long micros, Step step) {
        Situation situation = new Situation(node, state, micros, step);
        Effect effect = known.get(situation);
        if (effect == null) {
            effect = ask(situation);
            known.put(situation, effect);
        }
        return effect;
    }

    private Effect ask(Situation situation) {
        Node node = nodes.get(situation.node);
        State before = states.value(situation.state);
        clock.set(BEFORE + situation.micros);
        before.image.restore(node.store());
        Optional<Vote> answer = run(node, situation.step);
        int restarts = before.restarts + (situation.step == Step.Fault.RESTARTS_EMPTY ? 1 : 0);
        String incarnation = incarnation(situation.node, restarts);
        StoreImage after = StoreImage.of(node.store()).withIncarnation(incarnation);
        return new Effect(
                known.size(), states.number(new State(after, restarts)), answer.map(vote -> named(vote, incarnation)));
    }

    private Optional<Vote> run(Node node, Step step) {
        if (step instanceof Step.Join join) {
            return Optional.of(node.join(requests.get(join.attempt()), giver(join.attempt())));
        }
        if (step instanceof Step.Confirm confirm) {
            return Optional.of(node.confirm(
                    requests.get(confirm.attempt()),
                    confirm.token(),
                    confirm.incarnation(),
                    scenario.decision().maxSkew()));
        }
        if (step instanceof Step.Release release) {
            node.release(requests.get(release.attempt()));
        } else if (step == Step.Fault.LOSES_LOCK) {
            node.store().evict(NAME.value());
        } else if (step == Step.Fault.LOSES_COUNTER) {
            node.store().dropCounter(NAME.value());
        } else {
            node.restart(otherLock);
        }
        return Optional.empty();
    }

    private Optional<OwnerToken> giver(int attempt) {
        return attempt == 1 && scenario.heir() == Scenario.Invocation.HAND_OVER
                ? Optional.of(requests.get(0).owner())
                : Optional.empty();
    }

    /** Random ids and what is left of a TTL would make equal histories different. */
    private static Vote named(Vote vote, String incarnation) {
        if (vote instanceof Vote.Joined joined) {
            return new Vote.Joined(joined.token(), incarnation, joined.age(), joined.clockMicros());
        }
        return vote instanceof Acquisition.Contended ? new Acquisition.Contended(Optional.empty()) : vote;
    }

    private static String incarnation(int node, int restarts) {
        return "node " + node + ", life " + restarts;
    }

    private static LockRequest request(LockName name, int attempt) {
        OwnerToken owner = OwnerToken.of(String.format("%032x", attempt + 1));
        return new LockRequest(name, owner, "", Duration.ofSeconds(60), Duration.ofSeconds(1));
    }
}
