// SPDX-License-Identifier: Apache-2.0
package io.polylock.explore;

import java.util.List;

/**
 * Something that must not happen, and how it came about.
 *
 * @param objection what is wrong
 * @param steps the schedule in words
 * @param choices the schedule, to be replayed
 */
record Violation(String objection, List<String> steps, List<Integer> choices) {

    @Override
    public String toString() {
        return objection + "\n      " + String.join("\n      ", steps) + "\n    choices " + choices;
    }
}
