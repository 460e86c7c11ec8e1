// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.cli.Checker.Disorder;
import io.polylock.cli.Checker.Findings;
import io.polylock.cli.Checker.Overlap;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Forged histories. */
class CheckerTest {

    @Test
    void findsNothingInHoldsThatFollowOneAnother() {
        Findings findings = Checker.check(List.of(new Hold(1, 10, 0, 100), new Hold(2, 11, 100, 200)));

        assertThat(findings.overlaps()).isEmpty();
        assertThat(findings.disorders()).isEmpty();
    }

    @Test
    void findsNothingInAnEmptyHistory() {
        assertThat(Checker.check(List.of())).isEqualTo(new Findings(List.of(), List.of()));
    }

    @Test
    void findsAnOverlapOfOneNanosecond() {
        Hold first = new Hold(1, 10, 0, 101);
        Hold second = new Hold(2, 11, 100, 200);

        Findings findings = Checker.check(List.of(second, first));

        assertThat(findings.overlaps()).containsExactly(new Overlap(first, second));
        assertThat(findings.overlaps().get(0).nanos()).isEqualTo(1);
    }

    @Test
    void findsAnOverlapWithAHoldThatBeganLongBefore() {
        Hold longOne = new Hold(1, 10, 0, 1_000);
        Hold within = new Hold(2, 11, 100, 200);
        Hold late = new Hold(3, 12, 900, 1_100);

        assertThat(Checker.check(List.of(longOne, within, late)).overlaps())
                .containsExactly(new Overlap(longOne, within), new Overlap(longOne, late));
    }

    @Test
    void findsAnOverlapOfAWorkerWithItself() {
        assertThat(Checker.check(List.of(new Hold(1, 10, 0, 100), new Hold(1, 11, 50, 150)))
                        .overlaps())
                .hasSize(1);
    }

    @Test
    void asksNoOrderOfAHoldThatWasOverWhenItsWorkerHeardOfIt() {
        Hold successor = new Hold(4, 11, 100, 200);
        Hold starved = new Hold(5, 10, 150, 150);

        assertThat(Checker.check(List.of(successor, starved)).disorders()).isEmpty();
    }

    @Test
    void findsATokenThatGoesBack() {
        Hold earlier = new Hold(1, 11, 0, 100);
        Hold later = new Hold(2, 10, 100, 200);

        assertThat(Checker.check(List.of(earlier, later)).disorders()).containsExactly(new Disorder(earlier, later));
    }

    @Test
    void findsATokenThatStandsStill() {
        assertThat(Checker.check(List.of(new Hold(1, 10, 0, 100), new Hold(2, 10, 100, 200)))
                        .disorders())
                .hasSize(1);
    }

    @Test
    void findsATokenThatGoesBackAfterAnyEarlierHold() {
        assertThat(Checker.check(List.of(new Hold(1, 10, 0, 1), new Hold(2, 30, 1, 2), new Hold(3, 20, 2, 3)))
                        .disorders())
                .containsExactly(new Disorder(new Hold(2, 30, 1, 2), new Hold(3, 20, 2, 3)));
    }

    @Test
    void asksNoOrderOfHoldsThatOverlap() {
        Findings findings = Checker.check(List.of(new Hold(1, 11, 0, 100), new Hold(2, 10, 50, 200)));

        assertThat(findings.overlaps()).hasSize(1);
        assertThat(findings.disorders()).isEmpty();
    }

    @Test
    void equalTokensAreWrongAlsoInHoldsThatOverlap() {
        assertThat(Checker.check(List.of(new Hold(1, 10, 0, 100), new Hold(2, 10, 50, 200)))
                        .disorders())
                .hasSize(1);
    }

    @Test
    void asksNoOrderOfHoldsWithoutTokens() {
        assertThat(Checker.check(List.of(new Hold(1, 0, 0, 100), new Hold(2, 0, 100, 200)))
                        .disorders())
                .isEmpty();
    }
}
