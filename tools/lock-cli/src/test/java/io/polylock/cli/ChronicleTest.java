// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.cli.WorkerEvent.Kind;
import org.junit.jupiter.api.Test;

class ChronicleTest {

    private final Chronicle chronicle = new Chronicle();

    @Test
    void aReleasedHoldEndsWithItsRelease() {
        tell(Kind.ACQUIRED, 100, 7, 30);
        tell(Kind.STILL, 101, 7, 900);
        tell(Kind.RELEASING, 300, 7, 0);

        assertThat(chronicle.holds()).containsExactly(new Hold(1, 7, 100, 300));
        assertThat(chronicle.tally(1).acquisitions()).isEqualTo(1);
        assertThat(chronicle.tally(1).longestWaitNanos()).isEqualTo(30);
        assertThat(chronicle.tally(1).expiries()).isZero();
        assertThat(chronicle.tally(1).lost()).isZero();
    }

    @Test
    void aReleaseUnderARenewedLeaseIsBelievedBeyondTheLastValidityTold() {
        tell(Kind.ACQUIRED, 100, 7, 30);
        tell(Kind.STILL, 101, 7, 200);
        tell(Kind.RELEASING, 300, 7, 0);

        assertThat(chronicle.holds()).containsExactly(new Hold(1, 7, 100, 300));
    }

    @Test
    void aHoldThatWasSleptThroughEndsWithItsValidity() {
        tell(Kind.ACQUIRED, 100, 7, 30);
        tell(Kind.STILL, 101, 7, 900);
        tell(Kind.REFRAINED, 5_000, 7, 0);
        tell(Kind.LOST, 5_001, 7, 0);
        tell(Kind.TOLD, 5_002, 7, 0);

        assertThat(chronicle.holds()).containsExactly(new Hold(1, 7, 100, 900));
        assertThat(chronicle.tally(1).lost()).isEqualTo(1);
        assertThat(chronicle.tally(1).expiries()).isZero();
    }

    @Test
    void aHoldThatWasTakenEndsWhenItsWorkerIsTold() {
        tell(Kind.ACQUIRED, 100, 7, 30);
        tell(Kind.STILL, 101, 7, 900);
        tell(Kind.LOST, 400, 7, 0);

        assertThat(chronicle.holds()).containsExactly(new Hold(1, 7, 100, 400));
    }

    @Test
    void wordOfALostLeaseDoesNotEndTheNextOne() {
        tell(Kind.ACQUIRED, 100, 7, 30);
        tell(Kind.STILL, 101, 7, 900);
        tell(Kind.REFRAINED, 5_000, 7, 0);
        tell(Kind.ACQUIRED, 6_000, 8, 30);
        tell(Kind.LOST, 6_001, 7, 0);
        tell(Kind.STILL, 6_002, 8, 7_000);
        tell(Kind.RELEASING, 6_500, 8, 0);

        assertThat(chronicle.holds()).containsExactly(new Hold(1, 7, 100, 900), new Hold(1, 8, 6_000, 6_500));
    }

    @Test
    void theHoldOfADeadWorkerIsLeftToItsTtl() {
        tell(Kind.ACQUIRED, 100, 7, 30);
        tell(Kind.STILL, 101, 7, 900);
        chronicle.ended(1);

        assertThat(chronicle.holds()).containsExactly(new Hold(1, 7, 100, 900));
        assertThat(chronicle.tally(1).expiries()).isEqualTo(1);
    }

    @Test
    void aWorkerThatEndsWithoutALeaseLeavesNone() {
        tell(Kind.ACQUIRED, 100, 7, 30);
        tell(Kind.RELEASING, 300, 7, 0);
        chronicle.ended(1);

        assertThat(chronicle.tally(1).expiries()).isZero();
    }

    @Test
    void aWorkerThatLooksAtItsLeaseHasDoneItsWork() {
        tell(Kind.ACQUIRED, 100, 7, 30);
        tell(Kind.INSIDE, 110, 7, 3);
        assertThat(chronicle.isWorking(1, 100)).isTrue();
        assertThat(chronicle.isWorking(1, 99)).isFalse();

        tell(Kind.LEAVING, 200, 7, 0);
        assertThat(chronicle.isWorking(1, 100)).isFalse();
    }

    @Test
    void aWaitThatTheEndCutsOffCounts() {
        tell(Kind.WAITING, 100, 0, 0);
        tell(Kind.ACQUIRED, 110, 7, 10);
        tell(Kind.RELEASING, 120, 7, 0);
        tell(Kind.WAITING, 200, 0, 0);
        tell(Kind.BYE, 900, 0, 0);

        assertThat(chronicle.tally(1).longestWaitNanos()).isEqualTo(700);
    }

    @Test
    void anEventSurvivesItsWayThroughAPipe() {
        WorkerEvent event = new WorkerEvent(Kind.TOLD, -5, 7, 9, "LeaseLostException: lost (EXPIRED): so");

        assertThat(WorkerEvent.parse(event.line())).contains(event);
        assertThat(WorkerEvent.parse(new WorkerEvent(Kind.BYE, 1, 0, 0, "").line()))
                .contains(new WorkerEvent(Kind.BYE, 1, 0, 0, ""));
        assertThat(WorkerEvent.parse("WARNING: something else")).isEmpty();
        assertThat(WorkerEvent.parse("BYE x 0 0 ")).isEmpty();
    }

    private void tell(Kind kind, long nanos, long token, long number) {
        chronicle.add(1, new WorkerEvent(kind, nanos, token, number, ""));
    }
}
