// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** What the workers told, in numbers and as a history of holds. Used by one thread. */
final class Chronicle {

    /** What one worker did. */
    static final class Tally {
        private final Set<Long> lost = new HashSet<>();
        private int acquisitions;
        private long longestWaitNanos;
        private Optional<Long> waitingSinceNanos = Optional.empty();
        private int expiries;
        private int increments;
        private int fenced;
        private int failures;

        private void waited(long nanos) {
            longestWaitNanos = Math.max(longestWaitNanos, nanos);
            waitingSinceNanos = Optional.empty();
        }

        int acquisitions() {
            return acquisitions;
        }

        /** Of the waits that led to a lease, and the one that the end of the demo cut off. */
        long longestWaitNanos() {
            return longestWaitNanos;
        }

        /** Leases that nobody ended: their holder died, and the TTL ended them. */
        int expiries() {
            return expiries;
        }

        /** Leases that ended before their holder released them. */
        int lost() {
            return lost.size();
        }

        int increments() {
            return increments;
        }

        int fenced() {
            return fenced;
        }

        int failures() {
            return failures;
        }
    }

    /** A hold that goes on. */
    private static final class Open {
        private final long token;
        private final long fromNanos;
        private long untilNanos;
        private boolean working;

        Open(long token, long fromNanos) {
            this.token = token;
            this.fromNanos = fromNanos;
            this.untilNanos = fromNanos;
        }
    }

    private final Map<Integer, Tally> tallies = new TreeMap<>();
    private final Map<Integer, Open> open = new TreeMap<>();
    private final List<Hold> holds = new ArrayList<>();

    /** Takes up an event, and returns the hold that it ended. */
    Optional<Hold> add(int worker, WorkerEvent event) {
        Tally tally = tally(worker);
        switch (event.kind()) {
            case ACQUIRED -> {
                tally.acquisitions++;
                tally.waited(event.number());
                open.put(worker, new Open(event.token(), event.nanos()));
            }
            case STILL -> still(worker, event);
            case INSIDE -> working(worker, true);
            case LEAVING -> working(worker, false);
            case WROTE -> tally.increments++;
            case FENCED -> tally.fenced++;
            case FAILED -> tally.failures++;
            case TOLD -> tally.lost.add(event.token());
            case LOST -> {
                tally.lost.add(event.token());
                return end(worker, event);
            }
            case RELEASING -> {
                still(worker, event);
                return end(worker, event);
            }
            case REFRAINED -> {
                return end(worker, event);
            }
            case WAITING -> tally.waitingSinceNanos = Optional.of(event.nanos());
            case BYE -> tally.waitingSinceNanos.ifPresent(since -> tally.waited(event.nanos() - since));
            case HELLO, ENTERED -> {}
        }
        return Optional.empty();
    }

    /** A worker is no more. A lease that it had not ended is left to its TTL. */
    Optional<Hold> ended(int worker) {
        Optional<Hold> left = end(worker, Long.MAX_VALUE);
        if (left.isPresent()) {
            tally(worker).expiries++;
        }
        return left;
    }

    /** Whether a worker is at the work for which it took this lease, and has not looked at it again. */
    boolean isWorking(int worker, long fromNanos) {
        Open hold = open.get(worker);
        return hold != null && hold.working && hold.fromNanos == fromNanos;
    }

    /** When the hold began that a worker is in. */
    Optional<Long> heldSince(int worker) {
        return Optional.ofNullable(open.get(worker)).map(hold -> hold.fromNanos);
    }

    Tally tally(int worker) {
        return tallies.computeIfAbsent(worker, absent -> new Tally());
    }

    Map<Integer, Tally> tallies() {
        return tallies;
    }

    /** The holds that have ended. */
    List<Hold> holds() {
        return List.copyOf(holds);
    }

    /** The holds that had a moment in common with this one. */
    List<Hold> overlapping(Hold hold) {
        return holds.stream()
                .filter(other -> !other.equals(hold) && other.sharedNanos(hold) > 0)
                .toList();
    }

    private void still(int worker, WorkerEvent event) {
        Open hold = open.get(worker);
        if (hold != null && hold.token == event.token()) {
            hold.untilNanos = Math.max(hold.untilNanos, Math.max(event.nanos(), event.number()));
        }
    }

    private void working(int worker, boolean now) {
        Open hold = open.get(worker);
        if (hold != null) {
            hold.working = now;
        }
    }

    /** Ends the hold that an event is about: word of a loss may come when the worker has the next lease already. */
    private Optional<Hold> end(int worker, WorkerEvent event) {
        Open hold = open.get(worker);
        return hold != null && hold.token == event.token() ? end(worker, event.nanos()) : Optional.empty();
    }

    /** Ends a hold at the end of the validity that its worker knew of, or earlier. */
    private Optional<Hold> end(int worker, long atNanos) {
        Open hold = open.remove(worker);
        if (hold == null) {
            return Optional.empty();
        }
        Hold ended = new Hold(worker, hold.token, hold.fromNanos, Math.min(hold.untilNanos, atNanos));
        holds.add(ended);
        return Optional.of(ended);
    }
}
