// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.LockEvent;
import io.polylock.LockListener;
import java.util.function.BiConsumer;

/** The Flight Recorder, if this JVM has one: its module may be missing, and then nothing is recorded. Thread-safe. */
final class Flight {

    private static final boolean AVAILABLE = available();

    private Flight() {}

    /** Loads the event classes if there is a recording already, so that it takes no time of the first lease. */
    static void prepare() {
        isRecording();
    }

    static boolean isRecording() {
        try {
            return AVAILABLE && FlightEvents.areRecorded();
        } catch (RuntimeException | Error broken) {
            return false;
        }
    }

    static <E extends LockEvent> void record(BiConsumer<LockListener, E> method, E event) {
        if (isRecording()) {
            method.accept(FlightEvents.WRITER, event);
        }
    }

    private static boolean available() {
        try {
            return FlightEvents.areAvailable();
        } catch (LinkageError noModule) {
            return false;
        }
    }
}
