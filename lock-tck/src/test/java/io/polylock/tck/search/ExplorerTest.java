// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polylock.spi.Vote;
import io.polylock.tck.search.Attempt.Phase;
import io.polylock.tck.search.Decision.Plan;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ExplorerTest {

    private static final Scenario ONE_NODE = Scenario.asDesigned().withClocks(Duration.ZERO);

    @Test
    void findsAClientThatReturnsOneNumberForAll() {
        Explorer.Report report = Explorer.search(ONE_NODE.withDecision(new Forged(OptionalLong.of(7))), 1_000);

        assertThat(report.violation()).map(Explorer.Violation::schedule).hasValueSatisfying(schedule -> assertThat(
                        schedule)
                .as("join, plan, confirm and success of two attempts")
                .hasSize(8));
    }

    @Test
    void findsNothingWrongWithAClientThatTakesTheMintedNumberOfItsOnlyNode() {
        Explorer.Report report = Explorer.search(ONE_NODE.withDecision(new Forged(OptionalLong.empty())), 1_000);

        assertThat(report.violation()).isEmpty();
        assertThat(report.granted()).isEqualTo(2);
    }

    @Test
    void seesNothingInAClientThatNeverSucceedsAndSaysSo() {
        Explorer.Report report = Explorer.search(ONE_NODE.withDecision(QuorumRule.asDesigned(3)), 1_000);

        assertThat(report.granted()).isZero();
    }

    @Test
    void refusesToCallACutOffSearchComplete() {
        assertThatThrownBy(() -> Explorer.search(Scenario.asDesigned(), 1_000))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("more than 1000 worlds");
    }

    @Test
    void judgesThatOneTokenTwiceIsWrong() {
        assertThat(Judge.objection(1, List.of(granted(0, 5), granted(0, 5)))).contains("two attempts have one token");
    }

    @Test
    void judgesThatATokenBelowAReturnedOneIsWrong() {
        assertThat(Judge.objection(1, List.of(granted(0, 5), granted(5, 4))))
                .contains("a token is not larger than one that was returned before");
    }

    @Test
    void doesNotJudgeTheOrderInWhichOverlappingAttemptsReturn() {
        assertThat(Judge.objection(1, List.of(granted(0, 5), granted(0, 4)))).isEmpty();
    }

    private static Attempt granted(long floor, long token) {
        return new Attempt(
                Phase.GRANTED,
                floor,
                List.of(),
                Optional.of(new Plan(token, Collections.nCopies(3, Optional.empty()))));
    }

    /** A client of one node that takes the number the node minted, or always the same one and any reply for a success. */
    private record Forged(OptionalLong constant) implements Decision {

        @Override
        public Optional<Plan> plan(List<Optional<Vote.Join>> answers) {
            return answers.get(0).filter(Vote.Joined.class::isInstance).map(answer -> {
                Vote.Joined joined = (Vote.Joined) answer;
                return new Plan(constant.orElse(joined.token()), List.of(Optional.of(joined.incarnation())));
            });
        }

        @Override
        public boolean granted(Plan plan, List<Optional<Vote.Confirmation>> answers) {
            return answers.get(0).isPresent() && (constant.isPresent() || confirmed(answers.get(0)));
        }

        @Override
        public Duration maxSkew() {
            return Duration.ofSeconds(1);
        }

        private static boolean confirmed(Optional<Vote.Confirmation> answer) {
            return answer.filter(Vote.Confirmed.class::isInstance).isPresent();
        }
    }
}
