// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.spi.Vote;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class QuorumRuleTest {

    private static final Duration OLD = Duration.ofMinutes(10);

    private final QuorumRule rule = QuorumRule.asDesigned(3);

    @Test
    void takesOneMoreThanTheLargestCountedNumberToTheNodesThatWereRead() {
        assertThat(rule.plan(List.of(joined(5, "x", OLD), Optional.empty(), joined(8, "z", OLD))))
                .contains(new Decision.Plan(9, List.of(Optional.of("x"), Optional.empty(), Optional.of("z"))));
    }

    @Test
    void doesNotCountAStoreThatIsListedTwice() {
        assertThat(rule.plan(List.of(joined(5, "x", OLD), joined(5, "x", OLD), Optional.empty())))
                .isEmpty();
    }

    @Test
    void doesNotCountANodeYoungerThanTheLongestTtlAndTheSkew() {
        assertThat(rule.plan(List.of(joined(5, "x", OLD), joined(5, "y", Duration.ofSeconds(60)), Optional.empty())))
                .isEmpty();
    }

    @Test
    void doesNotCountARefusalAsAConfirmation() {
        Decision.Plan plan = new Decision.Plan(9, List.of(Optional.of("x"), Optional.of("y"), Optional.empty()));

        assertThat(rule.granted(
                        plan,
                        List.of(
                                Optional.of(new Vote.Confirmed()),
                                Optional.of(new Vote.Refused(Vote.Refused.Reason.NOT_OWNER)),
                                Optional.empty())))
                .isFalse();
    }

    private static Optional<Vote.Join> joined(long token, String incarnation, Duration age) {
        return Optional.of(new Vote.Joined(token, incarnation, age, token));
    }
}
