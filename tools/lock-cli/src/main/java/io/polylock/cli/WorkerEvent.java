// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import java.util.Optional;

/**
 * One line in which a worker tells the demo what happened to it: {@code kind nanos token number text}.
 *
 * @param kind what happened
 * @param nanos when, by {@link System#nanoTime()} of the worker
 * @param token the fencing token of the lease that it is about; 0 if none
 * @param number what {@link Kind} says
 * @param text what {@link Kind} says; without line breaks, may be empty
 */
record WorkerEvent(Kind kind, long nanos, long token, long number, String text) {

    private static final int PARTS = 5;

    /** What a worker tells. */
    enum Kind {
        /** It runs; its clock can be compared. */
        HELLO,
        /** It asks for the lock. */
        WAITING,
        /** It has the lease; number is how long it waited, in nanoseconds. */
        ACQUIRED,
        /** It holds the lease; number is the moment until which it may rely on it if nothing renews it. */
        STILL,
        /** It has begun its work; number is what it read from the counter. */
        INSIDE,
        /** It has thought and looks at its lease. */
        LEAVING,
        /** Its lease was held, so it wrote the counter; number is the new value. */
        WROTE,
        /** Its lease was not held, so it did not write the counter. */
        REFRAINED,
        /** The ledger took its entry. */
        ENTERED,
        /** The ledger refused its entry; number is the token that the ledger has seen. */
        FENCED,
        /** It releases a lease that it still held at this moment. */
        RELEASING,
        /** It was told of the loss by the lease; text is the cause. */
        LOST,
        /** Closing the lease threw; text is what it said. */
        TOLD,
        /** The store did not answer; text says what is known. */
        FAILED,
        /** It ended as it was asked to. */
        BYE
    }

    /** Reads a line; empty if it is not one of ours. */
    static Optional<WorkerEvent> parse(String line) {
        String[] parts = line.split(" ", PARTS);
        if (parts.length != PARTS) {
            return Optional.empty();
        }
        try {
            return Optional.of(new WorkerEvent(
                    Kind.valueOf(parts[0]),
                    Long.parseLong(parts[1]),
                    Long.parseLong(parts[2]),
                    Long.parseLong(parts[3]),
                    parts[4]));
        } catch (IllegalArgumentException foreignLine) {
            return Optional.empty();
        }
    }

    String line() {
        return kind + " " + nanos + " " + token + " " + number + " "
                + text.lines().findFirst().orElse("");
    }
}
