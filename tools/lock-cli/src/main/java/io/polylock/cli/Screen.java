// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import java.io.PrintStream;
import picocli.CommandLine.Help.Ansi;

/** Lines for people, coloured or plain. Thread-safe. */
final class Screen {

    private final PrintStream out;
    private final Ansi ansi;
    private final long startNanos = System.nanoTime();

    Screen(PrintStream out, Ansi ansi) {
        this.out = out;
        this.ansi = ansi;
    }

    /** A line with picocli's markup, as in {@code @|bold text|@}. */
    void line(String marked) {
        out.println(ansi.string(marked));
        out.flush();
    }

    /** A line that begins with the seconds since the start. */
    void event(String marked) {
        line("%7.2f s  %s".formatted(seconds(System.nanoTime() - startNanos), marked));
    }

    static double seconds(long nanos) {
        return nanos / 1e9;
    }
}
