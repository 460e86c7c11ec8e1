// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck.search;

import io.polylock.tck.search.Attempt.Phase;
import java.util.List;
import java.util.Optional;

/**
 * What must be true of tokens: no two successful attempts have one, and an attempt that was invoked after another one had
 * succeeded has a larger one. The order in which overlapping attempts return means nothing.
 */
final class Judge {

    private Judge() {}

    /**
     * What is wrong with the success of an attempt.
     *
     * @param winner the number of the attempt
     * @param attempts all attempts, the winner among them
     */
    static Optional<String> objection(int winner, List<Attempt> attempts) {
        Attempt granted = attempts.get(winner);
        if (granted.token() <= granted.floor()) {
            return Optional.of("a token is not larger than one that was returned before");
        }
        for (int other = 0; other < attempts.size(); other++) {
            Attempt rival = attempts.get(other);
            if (other != winner && rival.phase() == Phase.GRANTED && rival.token() == granted.token()) {
                return Optional.of("two attempts have one token");
            }
        }
        return Optional.empty();
    }

    /** The largest token that was returned so far. */
    static long largestReturned(List<Attempt> attempts) {
        return attempts.stream()
                .filter(attempt -> attempt.phase() == Phase.GRANTED)
                .mapToLong(Attempt::token)
                .max()
                .orElse(0);
    }
}
