// SPDX-License-Identifier: Apache-2.0
package io.polylock.explore;

import static org.assertj.core.api.Assertions.assertThat;

/** Explores a scenario, says how large it was, and demands that nothing is wrong. */
final class Check {

    private static final long LIMIT = 5_000_000;

    private Check() {}

    static void holds(String name, Bounds bounds, Scenario scenario) {
        Report report = Explorer.explore(scenario, bounds, LIMIT);
        System.out.println(report.row(name));
        report.violation().ifPresent(found -> System.out.println("    " + found));
        assertThat(report.violation()).as(name).isEmpty();
        assertThat(report.complete()).as("everything was seen").isTrue();
    }
}
