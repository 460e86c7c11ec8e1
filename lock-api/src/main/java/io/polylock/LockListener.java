// SPDX-License-Identifier: Apache-2.0
package io.polylock;

/**
 * Hears what happens to the locks of a manager, for metrics and logs. Each listener hears the events one after another, in
 * order, on a daemon thread of its own; only one that is given to several managers needs to be thread-safe. One that throws
 * is logged and goes on hearing. One that is slow or hangs delays nobody but itself: beyond 1,024 events that wait for it,
 * further ones are dropped, and the log says how many. It hears late, so it is not the place to react to a loss: that is
 * {@link Lease#onLost}.
 *
 * @see ManagerOptions#withListener
 */
public interface LockListener {

    /**
     * A lease was granted.
     *
     * @param event what is known
     */
    default void acquired(LockEvent.Acquired event) {}

    /**
     * A call found the lock held by another owner, or others in line for it.
     *
     * @param event what is known
     */
    default void contended(LockEvent.Contended event) {}

    /**
     * A wait ended in a {@link LockTimeoutException}.
     *
     * @param event what is known
     */
    default void timedOut(LockEvent.TimedOut event) {}

    /**
     * The store confirmed a renewal.
     *
     * @param event what is known
     */
    default void renewed(LockEvent.Renewed event) {}

    /**
     * A lease was lost.
     *
     * @param event what is known
     */
    default void lost(LockEvent.Lost event) {}

    /**
     * A lease was released.
     *
     * @param event what is known
     */
    default void released(LockEvent.Released event) {}

    /**
     * An undo began or ended.
     *
     * @param event what is known
     */
    default void undo(LockEvent.Undo event) {}

    /**
     * Signals of the store may have been missed.
     *
     * @param event what is known
     */
    default void signalGap(LockEvent.SignalGap event) {}
}
