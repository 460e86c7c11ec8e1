// SPDX-License-Identifier: Apache-2.0
package io.polylock;

import io.polylock.internal.Checks;
import io.polylock.internal.Hosts;
import io.polylock.spi.LockClock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * How a {@link LockManager} behaves. Immutable.
 *
 * @param label who holds the locks, for the eyes of an operator: at most 255 code points, well-formed, no control
 *     characters; host name and process id by default
 * @param answerWithin how long one request to the store may take: positive, at most 365 days, 2 s by default. Longer means
 *     more patience with a slow store; shorter means that a dead one is noticed sooner
 * @param closeGrace how long {@link LockManager#close()} waits for leases that are still held: not negative, 10 s by default
 * @param clock the time to live by; the machine's by default
 * @param listeners who hears what happens, each on a thread of its own; nobody by default
 */
public record ManagerOptions(
        String label, Duration answerWithin, Duration closeGrace, LockClock clock, List<LockListener> listeners) {

    /** What most applications want. */
    public static final ManagerOptions DEFAULTS = new ManagerOptions(
            Hosts.label(), Duration.ofSeconds(2), Duration.ofSeconds(10), LockClock.system(), List.of());

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a value is out of its range; the message says which
     */
    public ManagerOptions {
        Checks.label(label);
        Checks.answerWithin(answerWithin);
        Checks.notNegative("close grace", closeGrace);
        Objects.requireNonNull(clock, "clock");
        listeners = List.copyOf(listeners);
    }

    /**
     * The same with another label.
     *
     * @param newLabel at most 255 code points, well-formed, no control characters
     */
    public ManagerOptions withLabel(String newLabel) {
        return new ManagerOptions(newLabel, answerWithin, closeGrace, clock, listeners);
    }

    /**
     * The same with another bound on each request.
     *
     * @param bound positive
     */
    public ManagerOptions withAnswerWithin(Duration bound) {
        return new ManagerOptions(label, bound, closeGrace, clock, listeners);
    }

    /**
     * The same with another grace at the end.
     *
     * @param grace not negative
     */
    public ManagerOptions withCloseGrace(Duration grace) {
        return new ManagerOptions(label, answerWithin, grace, clock, listeners);
    }

    /**
     * The same with another clock, for tests.
     *
     * @param newClock the time to live by
     */
    public ManagerOptions withClock(LockClock newClock) {
        return new ManagerOptions(label, answerWithin, closeGrace, newClock, listeners);
    }

    /**
     * The same with one listener more.
     *
     * @param listener hears what happens, on a thread of its own; it is not closed with the manager
     */
    public ManagerOptions withListener(LockListener listener) {
        Objects.requireNonNull(listener, "listener");
        List<LockListener> more =
                Stream.concat(listeners.stream(), Stream.of(listener)).toList();
        return new ManagerOptions(label, answerWithin, closeGrace, clock, more);
    }
}
