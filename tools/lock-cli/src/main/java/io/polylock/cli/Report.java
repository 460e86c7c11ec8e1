// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import io.polylock.cli.Checker.Overlap;
import java.util.Comparator;
import java.util.function.ToIntFunction;

/** The books at the end: a table, the checks, and what they mean. */
final class Report {

    private static final String ROW = "  %-10s %12s %13s %9s %11s";
    private static final int SHOWN = 3;

    private final Screen screen;

    Report(Screen screen) {
        this.screen = screen;
    }

    void print(Verdict verdict) {
        screen.line("");
        screen.line("@|bold " + ROW.formatted("", "acquisitions", "longest wait", "expiries", "lost leases") + "|@");
        verdict.tallies().entrySet().stream()
                .sorted(Comparator.comparing(entry -> entry.getKey()))
                .forEach(entry -> row(Narrator.name(entry.getKey()), entry.getValue()));
        total(verdict);
        screen.line("");
        checks(verdict);
        screen.line("");
        meaning(verdict);
    }

    private void row(String name, Chronicle.Tally tally) {
        screen.line(ROW.formatted(
                name, tally.acquisitions(), seconds(tally.longestWaitNanos()), tally.expiries(), tally.lost()));
    }

    private void total(Verdict verdict) {
        long longest = verdict.tallies().values().stream()
                .mapToLong(Chronicle.Tally::longestWaitNanos)
                .max()
                .orElse(0);
        screen.line(ROW.formatted(
                "total",
                sum(verdict, Chronicle.Tally::acquisitions),
                seconds(longest),
                sum(verdict, Chronicle.Tally::expiries),
                sum(verdict, Chronicle.Tally::lost)));
    }

    private void checks(Verdict verdict) {
        int overlaps = verdict.findings().overlaps().size();
        screen.line("  overlaps: " + shown(overlaps) + " (times in which two workers both believed to hold the lock)");
        verdict.findings().overlaps().stream().limit(SHOWN).forEach(this::overlap);
        if (overlaps > SHOWN) {
            screen.line("    and " + (overlaps - SHOWN) + " more");
        }
        if (!verdict.clocksAgree()) {
            screen.line("  @|red overlaps are not verified: the clocks of the processes cannot be compared here|@");
        }
        screen.line("  lost updates: " + shown(verdict.lostUpdates()) + " (" + verdict.increments()
                + " increments under a held lease, the counter ends at " + verdict.counter() + ")");
        screen.line(
                verdict.fenced()
                        ? "  fencing tokens out of order: "
                                + shown(verdict.findings().disorders().size())
                        : "  fencing tokens: this backend issues none");
        screen.line("  late writes that the ledger refused by their fencing token: "
                + sum(verdict, Chronicle.Tally::fenced));
        int failures = sum(verdict, Chronicle.Tally::failures);
        if (failures > 0) {
            screen.line("  @|yellow requests that the store did not answer, or waits in vain: " + failures + "|@");
        }
    }

    private void overlap(Overlap overlap) {
        screen.line("    %s (token %d) and %s (token %d), for %.2f s"
                .formatted(
                        Narrator.name(overlap.first().worker()),
                        overlap.first().token(),
                        Narrator.name(overlap.second().worker()),
                        overlap.second().token(),
                        Screen.seconds(overlap.nanos())));
    }

    private void meaning(Verdict verdict) {
        String killed = Narrator.name(verdict.killed());
        String sleeper = Narrator.name(verdict.sleeper());
        boolean ok = verdict.exitCode() == ExitCode.OK;
        if (verdict.plan().owners() == Owners.IGNORED) {
            screen.line(
                    ok
                            ? "@|bold This lock is broken, and it showed.|@ It ignores owners: whoever comes late, as "
                                    + sleeper + " did after its sleep,\n'releases' a lock that is no longer its own."
                                    + " That lets another worker in beside the one that holds it, whose\nrelease in"
                                    + " turn frees a third one's lock, and so on. Without --break, a release frees the"
                                    + " lock only if\nit is the asker's."
                            : "@|bold,red This lock is broken, but it did not show this time.|@ Run it again, or for"
                                    + " longer (--seconds).");
        } else if (ok) {
            screen.line("@|bold,green Never two at a time|@, although " + killed
                    + " died holding the lock (the TTL freed"
                    + " it) and " + sleeper + " slept through\nits lease: it was told before it could write, and the"
                    + " ledger knew its old token. Try it with a lock that\nignores owners: @|bold polylock demo"
                    + " --break|@");
        } else if (verdict.isSound()) {
            screen.line(
                    "@|bold,red Nothing overlapped, but the accidents did not happen as planned|@, so this run proves"
                            + " little: run it again.");
        } else {
            screen.line("@|bold,red The lock failed.|@ That is a bug in Polylock or in this demo: please report it with"
                    + " the lines above.");
        }
    }

    private static String shown(long wrong) {
        return "@|bold," + (wrong == 0 ? "green" : "red") + " " + wrong + "|@";
    }

    private static String seconds(long nanos) {
        return "%.2f s".formatted(Screen.seconds(nanos));
    }

    private static int sum(Verdict verdict, ToIntFunction<Chronicle.Tally> part) {
        return verdict.tallies().values().stream().mapToInt(part).sum();
    }
}
