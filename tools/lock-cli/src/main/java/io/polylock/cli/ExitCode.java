// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

/** What the command returns to the shell. */
final class ExitCode {

    /** Everything was as it should be. */
    static final int OK = 0;

    /** Something went wrong or was found to be wrong. */
    static final int FAILED = 1;

    /** The command was called in a wrong way. */
    static final int USAGE = 2;

    private ExitCode() {}
}
