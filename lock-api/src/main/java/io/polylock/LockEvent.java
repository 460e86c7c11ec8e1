// SPDX-License-Identifier: Apache-2.0
package io.polylock;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Something that happened to a lock of a manager, as its {@link LockListener}s hear it. Holds no owner token. Immutable. Later
 * versions may know more events, so a switch over them needs a default.
 */
public sealed interface LockEvent {

    /** The name of the lock. */
    String lockName();

    /**
     * A lease was granted.
     *
     * @param lockName the lock
     * @param waited from the beginning of the call to the grant
     * @param wokenBy why the attempt that succeeded was made
     * @param fencingToken the number of the grant; empty if the store has none
     */
    record Acquired(String lockName, Duration waited, WokenBy wokenBy, OptionalLong fencingToken)
            implements LockEvent {}

    /**
     * A call found the lock held by another owner, or others in line for it. Told once a call.
     *
     * @param lockName the lock
     * @param freeIn what was left of the holder's TTL, if this call asked the store and that told
     */
    record Contended(String lockName, Optional<Duration> freeIn) implements LockEvent {}

    /**
     * A wait ended in a {@link LockTimeoutException}.
     *
     * @param lockName the lock
     * @param waited from the beginning of the call to its end
     */
    record TimedOut(String lockName, Duration waited) implements LockEvent {}

    /**
     * The store confirmed a renewal.
     *
     * @param lockName the lock
     * @param margin what was left of the validity just before; close to zero means that the lease was nearly lost
     */
    record Renewed(String lockName, Duration margin) implements LockEvent {}

    /**
     * A lease was lost.
     *
     * @param lockName the lock
     * @param cause why
     * @param held from the request that was granted to the loss
     */
    record Lost(String lockName, LossCause cause, Duration held) implements LockEvent {}

    /**
     * A lease was released. Told once a lease and outcome: a release that is repeated after {@link ReleaseOutcome#UNKNOWN} is
     * told again if it learned more.
     *
     * @param lockName the lock
     * @param outcome what the release found
     * @param held from the request that was granted to the call of the release, or to the loss if that came first
     */
    record Released(String lockName, ReleaseOutcome outcome, Duration held) implements LockEvent {}

    /**
     * A step of undoing what an unanswered request may have done.
     *
     * @param lockName the lock
     * @param step which
     */
    record Undo(String lockName, UndoStep step) implements LockEvent {}

    /**
     * The store's signals for a lock were interrupted: releases may have been missed, and waiters ask for themselves.
     *
     * @param lockName the lock
     */
    record SignalGap(String lockName) implements LockEvent {}

    /** Why a waiter asked the store when it did. */
    enum WokenBy {
        /** Nothing: it was the first request of the call. */
        FIRST_ASK,
        /** The store signalled a release. */
        SIGNAL,
        /** The lease before it, of the same manager, was handed over to it. */
        HAND_OVER,
        /** The holder's TTL was about to be over. */
        HOLDER_EXPIRY,
        /** A pause was over. */
        POLL,
        /** A lease of the same manager was released. */
        LOCAL_RELEASE
    }

    /** How far an undo is. */
    enum UndoStep {
        /** It is asked for, in the background. */
        STARTED,
        /** The store answered it: nothing is left behind. */
        DONE,
        /** It ended without that: what was granted, if anything, ends with its TTL. */
        GIVEN_UP
    }
}
