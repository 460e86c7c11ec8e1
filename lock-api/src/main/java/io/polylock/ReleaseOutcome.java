// SPDX-License-Identifier: Apache-2.0
package io.polylock;

/** What a release found. */
public enum ReleaseOutcome {
    /** The lock was this lease's and is free now. */
    RELEASED,
    /** The lock was no longer this lease's; nothing was changed. */
    NOT_HELD,
    /** The store did not answer; the release is repeated in the background, and the record ends with its TTL at the latest. */
    UNKNOWN
}
