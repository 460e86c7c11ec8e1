// SPDX-License-Identifier: Apache-2.0
package io.polylock.explore;

import java.time.Duration;
import java.util.Optional;

/**
 * What an exploration has found.
 *
 * @param bounds what it was bounded by
 * @param schedules how many schedules were run to their end
 * @param pruned how many were given up because they differ from others in nothing that matters
 * @param steps how many steps were made in all
 * @param complete whether there is no other schedule within the bounds
 * @param took how long it took
 * @param violation what went wrong, by the shortest schedule that was found
 */
record Report(
        Bounds bounds,
        long schedules,
        long pruned,
        long steps,
        boolean complete,
        Duration took,
        Optional<Violation> violation) {

    String row(String scenario) {
        return String.format(
                "%-52s %9d schedules %9d pruned %11d steps %7d ms  %s, %s",
                scenario,
                schedules,
                pruned,
                steps,
                took.toMillis(),
                bounds,
                violation.isPresent() ? "VIOLATED" : complete ? "complete" : "NOT COMPLETE");
    }
}
