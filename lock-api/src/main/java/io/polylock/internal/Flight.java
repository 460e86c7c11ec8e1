// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.LockEvent;
import io.polylock.LockListener;
import java.util.function.BiConsumer;

/** The Flight Recorder, if this JVM has one: its module may be missing, and then nothing is recorded. Thread-safe. */
final class Flight {

    private static final boolean AVAILABLE = available();

    private Flight() {}

    static boolean isRecording() {
        return AVAILABLE && FlightEvents.areRecorded();
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
