// SPDX-License-Identifier: Apache-2.0
package io.polylock;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * One grant of a lock, with an end. Whoever has the reference holds it: any thread may ask, release or close. A lease that
 * becomes unreachable without having been released is no longer renewed, and the log says so. Thread-safe.
 */
public interface Lease extends AutoCloseable {

    /** The name of the lock. */
    String lockName();

    /**
     * The number by which a protected resource can refuse late writers: greater than that of every earlier lease on this
     * lock, and the same for the whole life of this lease. Empty if the backend issues none.
     */
    OptionalLong fencingToken();

    /**
     * Whether the lease certainly excludes others now, judged by local clocks without any I/O. False from the end of its
     * validity on, after a release, and after a machine's sleep until a renewal has confirmed the lease.
     */
    boolean isHeld();

    /** How long the lease certainly excludes others if nothing renews it; zero if it is not held. */
    Duration remaining();

    /**
     * Registers what to do when the lease is lost. It is called once, on a thread of the manager (on the
     * registering thread if the manager is closed), at the latest at the end
     * of the validity; at once if the lease is lost already; never after a release. An action that throws is logged. An
     * action that keeps a reference to this lease keeps it reachable, and so renewed.
     *
     * @param action gets the cause
     */
    void onLost(Consumer<? super LossCause> action);

    /**
     * Frees the lock if it still is this lease's, and ends renewal in any case. A second call sends nothing and returns
     * what the first one found, except after {@link ReleaseOutcome#UNKNOWN}, when it asks again; it may then find that the
     * first one did arrive, and say {@link ReleaseOutcome#NOT_HELD}, which is no loss. Never throws for what it
     * finds, keeps the thread's interrupt flag, and takes at most two command timeouts.
     *
     * @return what was found
     */
    ReleaseOutcome release();

    /**
     * Releases, and is loud if the work was not protected to its end. An unknown outcome of the release itself is not a
     * loss: the work was done under the lock, and the release is repeated in the background.
     *
     * @throws LeaseLostException if the validity had ended before, or if the store says that the lock was no longer this
     *     lease's; the lease is not held then either
     */
    @Override
    void close();
}
