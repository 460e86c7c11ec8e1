// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import java.util.Map;
import java.util.Objects;

/**
 * What came out of a demo.
 *
 * @param plan what was to be done
 * @param tallies what each worker did
 * @param findings what the checker found in the workers' own records
 * @param fenced whether the leases had fencing tokens
 * @param counter the number in the file at the end
 * @param clocksAgree whether the workers' records can be compared
 * @param killed the worker that was killed
 * @param sleeper the worker that was stopped
 */
record Verdict(
        DemoPlan plan,
        Map<Integer, Chronicle.Tally> tallies,
        Checker.Findings findings,
        boolean fenced,
        long counter,
        boolean clocksAgree,
        int killed,
        int sleeper) {

    Verdict {
        tallies = Map.copyOf(tallies);
    }

    /** Increments that were done under a held lease. */
    long increments() {
        return tallies.values().stream().mapToLong(Chronicle.Tally::increments).sum();
    }

    long lostUpdates() {
        return increments() - counter;
    }

    boolean isSound() {
        return findings.overlaps().isEmpty() && findings.disorders().isEmpty() && lostUpdates() == 0 && clocksAgree;
    }

    /** Whether the demo showed what it is there to show. */
    int exitCode() {
        boolean asPlanned = plan.owners() == Owners.COMPARED
                ? isSound() && tally(killed).expiries() == 1 && tally(sleeper).lost() > 0
                : !findings.overlaps().isEmpty() || lostUpdates() > 0;
        return asPlanned ? ExitCode.OK : ExitCode.FAILED;
    }

    private Chronicle.Tally tally(int worker) {
        return Objects.requireNonNull(tallies.get(worker));
    }
}
