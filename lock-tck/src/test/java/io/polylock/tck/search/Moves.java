// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck.search;

import io.polylock.spi.Vote;
import io.polylock.tck.search.Attempt.Phase;
import io.polylock.tck.search.Attempt.Talk;
import io.polylock.tck.search.Decision.Plan;
import io.polylock.tck.search.Scenario.Invocation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiConsumer;

/*
 * Fewer worlds, the same violations:
 * - A lost message is one that never arrives.
 * - Nobody sees that a node has lost something before the next request arrives there, so losses happen just before one;
 *   an empty restart also just before time passes, because a new incarnation begins to age.
 * - An attempt is invoked just before its first request arrives. Earlier would only make fewer attempts precede it.
 * - A success is returned at once. Later would only make it precede fewer attempts.
 * - A world in which fewer than two attempts can succeed is not followed further.
 */
/** Everything that may happen next. */
final class Moves {

    private final Scenario scenario;
    private final Cluster cluster;
    private final Table<Attempt> attempts = new Table<>();
    private final List<Outlook> outlooks = new ArrayList<>();
    private final Map<Long, Integer> answered = new HashMap<>();

    Moves(Scenario scenario) {
        this.scenario = scenario;
        this.cluster = new Cluster(scenario);
    }

    World first() {
        int[] none = new int[scenario.attempts()];
        int nodes = scenario.clocks().size();
        for (int attempt = 0; attempt < none.length; attempt++) {
            none[attempt] = number(Attempt.notInvoked(nodes));
        }
        return World.first(cluster.start(), none);
    }

    /** The attempts of a world. */
    List<Attempt> attempts(World world) {
        List<Attempt> all = new ArrayList<>();
        for (int number = 0; number < world.attempts(); number++) {
            all.add(attempt(world, number));
        }
        return all;
    }

    /** How many times a real node was asked. */
    int situations() {
        return cluster.situations();
    }

    /** Whether two attempts may still succeed, or one after another did. */
    boolean matters(World world) {
        int hopeful = 0;
        int open = 0;
        for (int number = 0; number < world.attempts(); number++) {
            boolean hopeless = world.doubled() == scenario.doubled()
                    && outlook(world, number).hopeless();
            hopeful += hopeless ? 0 : 1;
            open += hopeless || attempt(world, number).phase() == Phase.GRANTED ? 0 : 1;
        }
        return hopeful > 1 && open > 0;
    }

    void from(World world, BiConsumer<Move, World> visitor) {
        List<Attempt> now = attempts(world);
        for (int number = 0; number < world.attempts(); number++) {
            decisions(world, number, visitor);
        }
        for (int node = 0; node < world.nodes(); node++) {
            for (Losses losses : Losses.possible(scenario, cluster, world, node, now)) {
                for (int number = 0; number < world.attempts(); number++) {
                    requests(world, number, node, losses, visitor);
                }
            }
        }
        if (world.ticks() < scenario.ticks()) {
            timePasses(world, visitor);
        }
    }

    private void timePasses(World world, BiConsumer<Move, World> visitor) {
        visitor.accept(new Move.TimePasses(OptionalInt.empty(), scenario.tick()), world.afterTick());
        for (int node = 0; node < world.nodes() && world.restarts() < scenario.restarts(); node++) {
            Cluster.Effect effect =
                    cluster.apply(node, world.node(node), scenario.micros(world.ticks()), Step.Fault.RESTARTS_EMPTY);
            visitor.accept(
                    new Move.TimePasses(OptionalInt.of(node), scenario.tick()),
                    world.afterRestartAndTick(node, effect.state()));
        }
    }

    private void decisions(World world, int number, BiConsumer<Move, World> visitor) {
        Attempt attempt = attempt(world, number);
        Outlook outlook = outlook(world, number);
        for (Plan plan : outlook.plans()) {
            visitor.accept(new Move.Planned(number, plan), world.withAttempt(number, number(attempt.planned(plan))));
        }
        if (outlook.mayGrant()) {
            visitor.accept(
                    new Move.Granted(number, attempt.token()), world.withAttempt(number, number(attempt.granted())));
        }
    }

    private void requests(World world, int number, int node, Losses losses, BiConsumer<Move, World> visitor) {
        int asking = world.attempt(number);
        if (attempts.value(asking).phase() == Phase.NOT_INVOKED) {
            if (!mayBeInvoked(world, number)) {
                return;
            }
            asking = number(attempts.value(asking).invoked(Judge.largestReturned(attempts(world))));
        }
        Attempt attempt = attempts.value(asking);
        boolean mayDouble = world.doubled() < scenario.doubled();
        Talk talk = attempt.talks().get(node);
        if (!talk.joined() || mayDouble) {
            int doubled = talk.joined() ? 1 : 0;
            request(world, number, asking, node, losses, new Step.Join(number), doubled, visitor);
        }
        Optional<String> target = attempt.target(node);
        if (target.isPresent() && (!talk.confirmed() || mayDouble)) {
            int doubled = talk.confirmed() ? 1 : 0;
            Step confirm = new Step.Confirm(number, attempt.token(), target.get());
            request(world, number, asking, node, losses, confirm, doubled, visitor);
        }
    }

    private void request(
            World world,
            int number,
            int asking,
            int node,
            Losses losses,
            Step step,
            int doubled,
            BiConsumer<Move, World> visitor) {
        Cluster.Effect effect = cluster.apply(node, losses.state(), scenario.micros(world.ticks()), step);
        int answered = answered(asking, node, effect);
        visitor.accept(
                new Move.Request(node, losses.steps(), step, effect),
                world.afterRequest(node, effect.state(), number, answered, doubled, losses.restarts()));
    }

    /** The number of an attempt after an answer; remembered, because comparing attempts is what takes time. */
    private int answered(int asking, int node, Cluster.Effect effect) {
        long key = ((long) asking << 32) + ((long) effect.number() << 4) + node;
        Integer known = answered.get(key);
        if (known == null) {
            Attempt attempt = attempts.value(asking);
            Vote answer = effect.answer().orElseThrow();
            known = number(
                    answer instanceof Vote.Join join
                            ? attempt.joinArrived(node, join)
                            : attempt.confirmArrived(node, (Vote.Confirmation) answer));
            answered.put(key, known);
        }
        return known;
    }

    /** Attempts are alike, so they may as well be invoked in the order of their numbers. */
    private boolean mayBeInvoked(World world, int number) {
        if (number == 0) {
            return true;
        }
        Phase before = attempt(world, number - 1).phase();
        boolean heir = number == 1 && scenario.heir() == Invocation.HAND_OVER;
        return heir ? before == Phase.GRANTED : before != Phase.NOT_INVOKED;
    }

    private Attempt attempt(World world, int number) {
        return attempts.value(world.attempt(number));
    }

    private int number(Attempt attempt) {
        int number = attempts.number(attempt);
        if (number == outlooks.size()) {
            outlooks.add(Outlook.of(attempt, scenario.decision()));
        }
        return number;
    }

    private Outlook outlook(World world, int number) {
        return outlooks.get(world.attempt(number));
    }
}
