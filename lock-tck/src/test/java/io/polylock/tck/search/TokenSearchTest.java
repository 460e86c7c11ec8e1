// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.tck.search.Explorer.Report;
import io.polylock.tck.search.Explorer.Violation;
import io.polylock.tck.search.Scenario.CounterLoss;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The tokens of a quorum, searched to the end: every order of arrival, every loss of a message or a lock, and what else a
 * scenario allows. {@code -Pfull} adds the large searches.
 */
@Tag("search")
class TokenSearchTest {

    private static final Set<String> HELPERS = Set.of("reported", "holds", "breaks");
    private static final int LIMIT = 6_000_000;
    private static final Duration ONE_MICRO = Duration.ofNanos(1_000);
    private static final Duration TEN_MICROS = Duration.ofNanos(10_000);
    private static final Duration WITHIN_SKEW = Duration.ofMillis(900);
    private static final Duration BEYOND_SKEW = Duration.ofSeconds(5);
    private static final Duration FAR_BEYOND_SKEW = Duration.ofHours(1);
    private static final Duration QUARANTINE = Duration.ofSeconds(61);

    /** Time stands still; two attempts can reach one number by different ways. */
    private static final Scenario STILL = Scenario.asDesigned().withClocks(Duration.ZERO, ONE_MICRO, ONE_MICRO);

    private static final Scenario SKEWED = Scenario.asDesigned().withClocks(Duration.ZERO, WITHIN_SKEW, WITHIN_SKEW);

    /** Two nodes leave room for more faults. */
    private static final Scenario FORGETFUL = Scenario.asDesigned()
            .withClocks(Duration.ZERO, Duration.ZERO)
            .withDecision(QuorumRule.asDesigned(2))
            .withTime(1, TEN_MICROS)
            .withDoubled(1)
            .withCounterLoss(CounterLoss.CLOCK_HAS_PASSED_THE_TOKEN);

    @Nested
    class AsDesignedTokensHold {

        @Test
        void whileTimeStandsStillOnEqualClocks() {
            holds(Scenario.asDesigned());
        }

        @Test
        void whileTimeStandsStillOnClocksAMicrosecondApart() {
            holds(STILL);
        }

        @Test
        void whenARequestArrivesTwice() {
            holds(STILL.withDoubled(1));
        }

        @Test
        void whenTheLocksAreHandedOver() {
            holds(STILL.withHandOver().withDoubled(2));
        }

        @Test
        @Tag("full")
        void whenTheLocksAreHandedOverOnSkewedClocksAndANodeRestartsEmpty() {
            holds(SKEWED.withHandOver().withDoubled(1).withRestarts(1).withTime(1, QUARANTINE));
        }

        @Test
        @Tag("full")
        void whenCountersAreLostThatTheClockHasPassed() {
            holds(SKEWED.withTime(1, Duration.ofSeconds(1)).withCounterLoss(CounterLoss.CLOCK_HAS_PASSED_THE_TOKEN));
        }

        @Test
        void whenCountersAreLostAndRequestsArriveTwice() {
            holds(FORGETFUL);
        }

        @Test
        void whenANodeRestartsEmptyOnSkewedClocks() {
            holds(SKEWED.withRestarts(1));
        }

        @Test
        @Tag("full")
        void whenANodeRestartsEmptyAndGrowsOldOnClocksBeyondMaxSkew() {
            holds(Scenario.asDesigned()
                    .withClocks(Duration.ZERO, Duration.ZERO, BEYOND_SKEW)
                    .withRestarts(1)
                    .withTime(1, QUARANTINE));
        }

        @Test
        @Tag("full")
        void whenANodeRestartsEmptyAndRequestsArriveTwice() {
            holds(SKEWED.withRestarts(1).withDoubled(1));
        }

        @Test
        @Tag("full")
        void whenANodeRestartsEmptyAndGrowsOldOnSkewedClocks() {
            holds(SKEWED.withRestarts(1).withTime(1, QUARANTINE));
        }
    }

    @Nested
    class ACounterexampleIsFound {

        @Test
        void withoutTheOwnerCheck() {
            breaks(STILL.without(Node.Rule.OWNER_CHECK));
        }

        @Test
        void ifAnOutdatedNumberIsConfirmedAndARequestArrivesTwice() {
            breaks(STILL.withDoubled(1).without(Node.Rule.NOT_OUTDATED));
        }

        @Test
        void ifNodesConfirmThatWereNotReadAndOneRestartsEmpty() {
            breaks(SKEWED.withRestarts(1).without(QuorumRule.Rule.READ_WHERE_CONFIRMED));
        }

        @Test
        void ifHalfOfTheNodesAreAQuorum() {
            breaks(Scenario.asDesigned().without(QuorumRule.Rule.MAJORITY));
        }

        @Test
        void ifTheCounterGoesWithTheLock() {
            breaks(Scenario.asDesigned().without(Node.Rule.COUNTER_STAYS));
        }

        @Test
        void ifYoungNodesCount() {
            breaks(SKEWED.withRestarts(1).without(QuorumRule.Rule.QUARANTINE));
        }

        @Test
        void ifANodeConfirmsWithoutAStoredNumber() {
            breaks(FORGETFUL.withDoubled(2).without(Node.Rule.COUNTER_PRESENT));
        }

        @Test
        void ifACounterGoesBeforeTheClockHasPassedIt() {
            breaks(Scenario.asDesigned().withCounterLoss(CounterLoss.CLOCK_HAS_REACHED_THE_MINTING));
        }

        @Test
        @Tag("full")
        void ifANodeConfirmsInAnotherIncarnationThanItGrantedIn() {
            breaks(SKEWED.withRestarts(1).withDoubled(1).without(Node.Rule.SAME_INCARNATION));
        }

        @Test
        @Tag("full")
        void ifANumberFarAheadOfTheClockIsConfirmed() {
            breaks(Scenario.asDesigned()
                    .withClocks(Duration.ZERO, Duration.ZERO, FAR_BEYOND_SKEW)
                    .withRestarts(1)
                    .withTime(1, QUARANTINE)
                    .without(Node.Rule.NOT_AHEAD));
        }
    }

    /** Rules that are a second line: without a fault that the first line does not cover, the search misses nothing. */
    @Nested
    class TokensHoldAlsoWithout {

        @Test
        void readingWhereConfirmedWhileNoNodeForgets() {
            holds(STILL.without(QuorumRule.Rule.READ_WHERE_CONFIRMED));
        }

        @Test
        void refusingOutdatedNumbersWhileNoRequestArrivesTwice() {
            holds(STILL.without(Node.Rule.NOT_OUTDATED));
        }
    }

    @Test
    void nobodySucceedsIfNoTwoClocksAreWithinMaxSkew() {
        Report report = reported(Scenario.asDesigned().withClocks(BEYOND_SKEW.negated(), Duration.ZERO, BEYOND_SKEW));

        assertThat(report.granted()).isZero();
    }

    private static void holds(Scenario scenario) {
        Report report = reported(scenario);
        assertThat(report.violation()).isEmpty();
        assertThat(report.granted()).as("attempts that succeed").isEqualTo(scenario.attempts());
    }

    private static void breaks(Scenario scenario) {
        assertThat(reported(scenario).violation()).isPresent();
    }

    private static Report reported(Scenario scenario) {
        Report report = Explorer.search(scenario, LIMIT);
        String claim = StackWalker.getInstance()
                .walk(frames -> frames.filter(frame -> !HELPERS.contains(frame.getMethodName()))
                        .findFirst()
                        .orElseThrow()
                        .getMethodName());
        System.out.printf(
                "%s: %,d states, nodes asked %,d times, %.1f s%n",
                claim, report.states(), report.situations(), report.took().toMillis() / 1_000.0);
        report.violation().ifPresent(TokenSearchTest::print);
        return report;
    }

    private static void print(Violation violation) {
        System.out.println("    " + violation.objection() + ":");
        violation.schedule().forEach(move -> System.out.println("      " + move));
    }
}
