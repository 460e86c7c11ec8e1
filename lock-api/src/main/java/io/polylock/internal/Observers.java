// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.LockEvent;
import io.polylock.LockEvent.UndoStep;
import io.polylock.LockEvent.WokenBy;
import io.polylock.LockListener;
import io.polylock.LossCause;
import io.polylock.ReleaseOutcome;
import io.polylock.spi.LockClock;
import io.polylock.spi.LockName;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

/**
 * Tells the Flight Recorder, and the listeners of one manager, what happens. Returns at once and never throws; costs next to
 * nothing if nobody listens. Not to be called under a monitor. Thread-safe.
 */
final class Observers {

    private final List<ListenerLane> lanes;
    private final Runnable endLanes;

    private Observers(List<ListenerLane> lanes, Runnable endLanes) {
        this.lanes = lanes;
        this.endLanes = endLanes;
    }

    static Observers of(List<LockListener> listeners, LockClock clock) {
        Flight.prepare();
        if (listeners.isEmpty()) {
            return new Observers(List.of(), () -> {});
        }
        // workers of their own: they end last, so that the end of everything else is still heard
        LockClock.Workers workers = clock.newWorkers("polylock");
        List<ListenerLane> lanes = IntStream.range(0, listeners.size())
                .mapToObj(i -> new ListenerLane(listeners.get(i), workers.lane("listener-" + i, 1)))
                .toList();
        return new Observers(lanes, workers::close);
    }

    void acquired(LockName name, long waitedNanos, WokenBy wokenBy, OptionalLong fencingToken) {
        if (anybody()) {
            Duration waited = Duration.ofNanos(waitedNanos);
            tell(LockListener::acquired, new LockEvent.Acquired(name.value(), waited, wokenBy, fencingToken));
        }
    }

    void contended(LockName name, Optional<Duration> freeIn) {
        if (anybody()) {
            tell(LockListener::contended, new LockEvent.Contended(name.value(), freeIn));
        }
    }

    void timedOut(LockName name, long waitedNanos) {
        if (anybody()) {
            tell(LockListener::timedOut, new LockEvent.TimedOut(name.value(), Duration.ofNanos(waitedNanos)));
        }
    }

    void renewed(LockName name, long marginNanos) {
        if (anybody()) {
            tell(LockListener::renewed, new LockEvent.Renewed(name.value(), Duration.ofNanos(marginNanos)));
        }
    }

    void lost(LockName name, LossCause cause, long heldNanos) {
        if (anybody()) {
            tell(LockListener::lost, new LockEvent.Lost(name.value(), cause, Duration.ofNanos(heldNanos)));
        }
    }

    void released(LockName name, ReleaseOutcome outcome, long heldNanos) {
        if (anybody()) {
            tell(LockListener::released, new LockEvent.Released(name.value(), outcome, Duration.ofNanos(heldNanos)));
        }
    }

    void undo(LockName name, UndoStep step) {
        if (anybody()) {
            tell(LockListener::undo, new LockEvent.Undo(name.value(), step));
        }
    }

    void signalGap(LockName name) {
        if (anybody()) {
            tell(LockListener::signalGap, new LockEvent.SignalGap(name.value()));
        }
    }

    /** Lets the listeners hear what waits for them, for a moment, then drops it. What happens later only JFR hears. */
    void close() {
        endLanes.run();
        lanes.forEach(ListenerLane::close);
    }

    private boolean anybody() {
        return !lanes.isEmpty() || Flight.isRecording();
    }

    private <E extends LockEvent> void tell(BiConsumer<LockListener, E> method, E event) {
        try {
            Flight.record(method, event);
            for (ListenerLane lane : lanes) {
                lane.tell(listener -> method.accept(listener, event));
            }
        } catch (RuntimeException | Error e) {
            Log.quietly(Level.DEBUG, () -> "an event was not told", e);
        }
    }
}
