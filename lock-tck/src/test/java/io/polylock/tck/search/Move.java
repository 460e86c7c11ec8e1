// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck.search;

import io.polylock.spi.Vote;
import io.polylock.tck.search.Decision.Plan;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** One step of a schedule. Its text tells it to people, with tokens as microseconds since the search began. */
sealed interface Move {

    /** A request arrives at a node, perhaps after losses there. */
    record Request(int node, List<Step> losses, Step step, Cluster.Effect effect) implements Move {

        @Override
        public String toString() {
            String before = losses.stream().map(loss -> told(loss) + "; ").collect(Collectors.joining());
            return "node " + node + ": " + before + told(step)
                    + effect.answer().map(Request::told).orElse("");
        }

        private static String told(Step step) {
            if (step instanceof Step.Join join) {
                return letter(join.attempt()) + " joins";
            }
            if (step instanceof Step.Confirm confirm) {
                return letter(confirm.attempt()) + " asks to confirm " + shown(confirm.token());
            }
            if (step instanceof Step.Release release) {
                return letter(release.attempt()) + " releases";
            }
            return step.toString().toLowerCase(Locale.ROOT).replace('_', ' ');
        }

        private static String told(Vote answer) {
            if (answer instanceof Vote.Joined joined) {
                return ", gets " + shown(joined.token());
            }
            return answer instanceof Vote.Refused refused
                    ? ", refused: " + refused.reason()
                    : ", " + answer.getClass().getSimpleName().toLowerCase(Locale.ROOT);
        }
    }

    /** An attempt has read enough answers of phase 1: its requests of phase 2 are under way. */
    record Planned(int attempt, Plan plan) implements Move {

        @Override
        public String toString() {
            String targets = IntStream.range(0, plan.targets().size())
                    .filter(node -> plan.targets().get(node).isPresent())
                    .mapToObj(Integer::toString)
                    .collect(Collectors.joining(", "));
            return letter(attempt) + " takes " + shown(plan.token()) + " to nodes " + targets;
        }
    }

    /** An attempt has read enough replies of phase 2, and returns. */
    record Granted(int attempt, long token) implements Move {

        @Override
        public String toString() {
            return letter(attempt) + " succeeds with " + shown(token);
        }
    }

    /** Time passes. */
    record TimePasses(OptionalInt restarted, Duration duration) implements Move {

        @Override
        public String toString() {
            String restart = restarted.isPresent() ? "node " + restarted.getAsInt() + ": restarts empty; " : "";
            return restart + "time passes: " + duration;
        }
    }

    private static String letter(int attempt) {
        return Character.toString('a' + attempt);
    }

    private static String shown(long token) {
        return Long.toString(token - Cluster.BEGINNING);
    }
}
