// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Judges a history of holds: never two at a time, and tokens in the order of the holds. */
final class Checker {

    /** Two holds that have a moment in common. */
    record Overlap(Hold first, Hold second) {

        long nanos() {
            return first.sharedNanos(second);
        }
    }

    /** Two holds, one after the other, whose tokens are equal or go back. */
    record Disorder(Hold earlier, Hold later) {}

    /** What is wrong with a history. */
    record Findings(List<Overlap> overlaps, List<Disorder> disorders) {

        Findings {
            overlaps = List.copyOf(overlaps);
            disorders = List.copyOf(disorders);
        }
    }

    private Checker() {}

    /**
     * Compares all holds with all. Of holds that overlap no order is asked, nor of one that ended before its worker could
     * say that it began: when it was granted is not known. Equal tokens are wrong in any case. Holds without
     * a token are not compared by it.
     */
    static Findings check(List<Hold> history) {
        List<Hold> holds = history.stream()
                .sorted(Comparator.comparingLong(Hold::fromNanos))
                .toList();
        List<Overlap> overlaps = new ArrayList<>();
        List<Disorder> disorders = new ArrayList<>();
        for (int i = 0; i < holds.size(); i++) {
            for (int j = i + 1; j < holds.size(); j++) {
                Hold first = holds.get(i);
                Hold second = holds.get(j);
                boolean overlap = first.sharedNanos(second) > 0;
                if (overlap) {
                    overlaps.add(new Overlap(first, second));
                }
                if (first.token() > 0
                        && second.token() > 0
                        && (first.token() == second.token()
                                || (!overlap && first.lasted() && second.lasted() && first.token() > second.token()))) {
                    disorders.add(new Disorder(first, second));
                }
            }
        }
        return new Findings(overlaps, disorders);
    }
}
