// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.LockEvent;
import io.polylock.LockListener;
import java.util.List;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** The events of the Flight Recorder. Thread-safe. */
final class FlightEvents {

    /* Times are fields, not durations of the events: those must be begun before one knows what they will be, would have to
     * travel with every waiter and lease, and could not follow a manager's clock.
     *
     * Nothing here may be touched without the module jdk.jfr, and the event classes not before a recording exists: loading
     * them starts the recorder's machinery. */

    static final LockListener WRITER = new Writer();

    private FlightEvents() {}

    static boolean areAvailable() {
        return FlightRecorder.isAvailable();
    }

    static boolean areRecorded() {
        return FlightRecorder.isInitialized() && Types.anyEnabled();
    }

    /** Loaded with the first recording. */
    private static final class Types {

        private static final List<EventType> ALL = List.of(
                EventType.getEventType(Acquired.class),
                EventType.getEventType(Contended.class),
                EventType.getEventType(TimedOut.class),
                EventType.getEventType(Renewed.class),
                EventType.getEventType(Lost.class),
                EventType.getEventType(Released.class),
                EventType.getEventType(Undo.class),
                EventType.getEventType(SignalGap.class));

        static boolean anyEnabled() {
            for (int i = 0; i < ALL.size(); i++) {
                if (ALL.get(i).isEnabled()) {
                    return true;
                }
            }
            return false;
        }
    }

    private static final class Writer implements LockListener {

        @Override
        public void acquired(LockEvent.Acquired event) {
            Acquired written = new Acquired();
            written.lockName = event.lockName();
            written.waited = Checks.saturatedNanos(event.waited());
            written.wokenBy = event.wokenBy().name();
            written.fencingToken = event.fencingToken().orElse(0);
            written.commit();
        }

        @Override
        public void contended(LockEvent.Contended event) {
            Contended written = new Contended();
            written.lockName = event.lockName();
            written.freeIn = event.freeIn().map(Checks::saturatedNanos).orElse(Long.MIN_VALUE);
            written.commit();
        }

        @Override
        public void timedOut(LockEvent.TimedOut event) {
            TimedOut written = new TimedOut();
            written.lockName = event.lockName();
            written.waited = Checks.saturatedNanos(event.waited());
            written.commit();
        }

        @Override
        public void renewed(LockEvent.Renewed event) {
            Renewed written = new Renewed();
            written.lockName = event.lockName();
            written.margin = Checks.saturatedNanos(event.margin());
            written.commit();
        }

        @Override
        public void lost(LockEvent.Lost event) {
            Lost written = new Lost();
            written.lockName = event.lockName();
            written.cause = event.cause().name();
            written.held = Checks.saturatedNanos(event.held());
            written.commit();
        }

        @Override
        public void released(LockEvent.Released event) {
            Released written = new Released();
            written.lockName = event.lockName();
            written.outcome = event.outcome().name();
            written.held = Checks.saturatedNanos(event.held());
            written.commit();
        }

        @Override
        public void undo(LockEvent.Undo event) {
            Undo written = new Undo();
            written.lockName = event.lockName();
            written.step = event.step().name();
            written.commit();
        }

        @Override
        public void signalGap(LockEvent.SignalGap event) {
            SignalGap written = new SignalGap();
            written.lockName = event.lockName();
            written.commit();
        }
    }

    @Name("io.polylock.Acquired")
    @Label("Lock Acquired")
    @Description("A lease was granted")
    @Category("Polylock")
    @StackTrace(false)
    static final class Acquired extends Event {

        @Label("Lock Name")
        String lockName = "";

        @Label("Waited")
        @Description("From the beginning of the call to the grant")
        @Timespan
        long waited;

        @Label("Woken By")
        @Description("Why the attempt that succeeded was made")
        String wokenBy = "";

        @Label("Fencing Token")
        @Description("The number of the grant; 0 if the store has none")
        long fencingToken;
    }

    @Name("io.polylock.Contended")
    @Label("Lock Contended")
    @Description("A call found the lock held by another owner")
    @Category("Polylock")
    @StackTrace(false)
    static final class Contended extends Event {

        @Label("Lock Name")
        String lockName = "";

        @Label("Free In")
        @Description("What was left of the holder's TTL; N/A if the store did not tell")
        @Timespan
        long freeIn;
    }

    @Name("io.polylock.TimedOut")
    @Label("Lock Wait Timed Out")
    @Description("A wait ended without a lease")
    @Category("Polylock")
    @StackTrace(false)
    static final class TimedOut extends Event {

        @Label("Lock Name")
        String lockName = "";

        @Label("Waited")
        @Description("From the beginning of the call to its end")
        @Timespan
        long waited;
    }

    @Name("io.polylock.Renewed")
    @Label("Lease Renewed")
    @Description("The store confirmed a renewal")
    @Category("Polylock")
    @StackTrace(false)
    static final class Renewed extends Event {

        @Label("Lock Name")
        String lockName = "";

        @Label("Margin")
        @Description("What was left of the validity just before")
        @Timespan
        long margin;
    }

    @Name("io.polylock.Lost")
    @Label("Lease Lost")
    @Description("A lease ended before its holder released it")
    @Category("Polylock")
    @StackTrace(false)
    static final class Lost extends Event {

        @Label("Lock Name")
        String lockName = "";

        @Label("Cause")
        @Description("Why it was lost")
        String cause = "";

        @Label("Held")
        @Description("From the request that was granted to the loss")
        @Timespan
        long held;
    }

    @Name("io.polylock.Released")
    @Label("Lease Released")
    @Description("A holder released its lease")
    @Category("Polylock")
    @StackTrace(false)
    static final class Released extends Event {

        @Label("Lock Name")
        String lockName = "";

        @Label("Outcome")
        @Description("What the release found")
        String outcome = "";

        @Label("Held")
        @Description("From the request that was granted to the release, or to the loss if that came first")
        @Timespan
        long held;
    }

    @Name("io.polylock.Undo")
    @Label("Undo")
    @Description("A step of undoing what an unanswered request may have done")
    @Category("Polylock")
    @StackTrace(false)
    static final class Undo extends Event {

        @Label("Lock Name")
        String lockName = "";

        @Label("Step")
        @Description("How far the undo is")
        String step = "";
    }

    @Name("io.polylock.SignalGap")
    @Label("Signal Gap")
    @Description("Release signals of the store may have been missed")
    @Category("Polylock")
    @StackTrace(false)
    static final class SignalGap extends Event {

        @Label("Lock Name")
        String lockName = "";
    }
}
