// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import picocli.CommandLine.Help.Ansi;

/** Whether the output is coloured. */
final class Terminal {

    /** Set by the polylock script, for Java 17 cannot ask about the output alone. */
    private static final String PROPERTY = "polylock.terminal";

    private Terminal() {}

    /** Colours if the output is a terminal, and the user has not said otherwise (NO_COLOR). */
    static Ansi ansi() {
        String refused = System.getenv("NO_COLOR");
        return Boolean.getBoolean(PROPERTY) && (refused == null || refused.isEmpty()) ? Ansi.ON : Ansi.OFF;
    }
}
