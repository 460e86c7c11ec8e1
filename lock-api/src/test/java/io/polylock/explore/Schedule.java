// SPDX-License-Identifier: Apache-2.0
package io.polylock.explore;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * One run of a scenario in which one strand runs at a time. A strand that comes to a point asks the path who goes next, and
 * hands over the right to run. Time moves only when the path says so, from event to event. While nobody runs strands (a scenario is
 * being set up, or an invariant looks) points are passed without a halt.
 */
final class Schedule {

    /** How a schedule ended. */
    enum End {
        DONE,
        PRUNED,
        VIOLATED
    }

    /** What it means if another strand goes on at a point. */
    enum Point {
        /** The strand waits for something outside of its own computing: nothing. */
        WAITS,
        /** The strand was computing: the processor was taken away from it. */
        COMPUTES
    }

    private static final String TIME = "time passes";
    private static final int LONGEST = 2_000;
    private static final List<Way> GOES_ON = List.of(Way.free("goes on"));

    private final Path path;
    private final Bounds bounds;
    private final Crew crew;
    private final Thread explorer = Thread.currentThread();
    private final List<Strand> alive = new ArrayList<>();
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final List<Happened> trace = new ArrayList<>();
    private final List<Strand> candidates = new ArrayList<>();
    private final List<Way> candidateWays = new ArrayList<>();
    private final List<String> keys = new ArrayList<>();

    private Supplier<String> invariant = () -> "";
    private boolean exploring;
    private boolean branching = true;
    private Strand current;
    private long footprint;
    private long now;
    private long sequence;
    private int preemptions;
    private int slow;
    private int faults;
    private int interesting = Integer.MAX_VALUE;
    private String objection = "";
    private Strand stalled;
    private Optional<Throwable> failure = Optional.empty();
    private End end = End.DONE;
    private final AtomicLong steps = new AtomicLong();
    private volatile boolean ended;
    private volatile boolean aborting;
    private volatile boolean unwound;

    /** Something that time brings. What it does only changes who is ready. */
    static final class Event implements Comparable<Event> {

        private final long at;
        private final long sequence;
        private final Runnable effect;

        private Event(long at, long sequence, Runnable effect) {
            this.at = at;
            this.sequence = sequence;
            this.effect = effect;
        }

        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(sequence, other.sequence);
        }
    }

    /** One step, to be put into words if somebody wants to read it. */
    private record Happened(String who, String what, long at) {}

    Schedule(Path path, Bounds bounds, Crew crew) {
        this.path = path;
        this.bounds = bounds;
        this.crew = crew;
    }

    /** What must hold between any two steps: says what is wrong, or nothing. */
    void demand(Supplier<String> nothingWrong) {
        invariant = nothingWrong;
    }

    /** A longer schedule is of no interest. */
    void notLongerThan(int most) {
        interesting = most;
    }

    /** From now on the first way is taken: what follows is not to be varied. */
    void stopBranching() {
        branching = false;
    }

    boolean running() {
        return exploring && !aborting;
    }

    boolean aborting() {
        return aborting;
    }

    long now() {
        return now;
    }

    int slow() {
        return slow;
    }

    /** Whether somebody may still be slow. */
    boolean timeMayPass() {
        return branching && slow < bounds.slow();
    }

    int faults() {
        return faults;
    }

    Strand current() {
        return current;
    }

    long steps() {
        return steps.get();
    }

    List<Strand> alive() {
        return alive;
    }

    int planned() {
        return events.size();
    }

    void touch(long what) {
        footprint |= what;
    }

    /** Says that something is wrong; the schedule ends at the next point. */
    void object(String why) {
        if (objection.isEmpty() && !aborting) {
            objection = why;
        }
    }

    Event at(long delayNanos, Runnable effect) {
        long wait = Math.min(Math.max(0, delayNanos), Long.MAX_VALUE - now);
        Event event = new Event(now + wait, sequence++, effect);
        events.add(event);
        return event;
    }

    void cancel(Event event) {
        events.remove(event);
    }

    /** A new strand, ready to start. */
    Strand start(String name, Runnable body) {
        return start(name, false, body);
    }

    /** A new strand that may start at any time or never. */
    Strand startOrNot(String name, Runnable body) {
        return start(name, true, body);
    }

    private Strand start(String name, boolean lazy, Runnable body) {
        Strand[] self = new Strand[1];
        self[0] = new Strand(name, lazy, () -> run(self[0], body));
        alive.add(self[0]);
        return self[0];
    }

    private void run(Strand self, Runnable body) {
        try {
            self.deliverInterrupt();
            body.run();
        } catch (Unwound over) {
            // as planned
        } catch (RuntimeException | Error e) {
            object(self.name + " ended by " + e + " at " + Arrays.toString(e.getStackTrace()));
        }
        self.finish();
        alive.remove(self);
        if (aborting) {
            unwound = true;
            LockSupport.unpark(explorer);
        } else {
            dispatch(self, Point.WAITS);
        }
    }

    /** Takes back a strand that has not started; false if it has. */
    boolean drop(Strand strand) {
        if (strand.started()) {
            return false;
        }
        strand.drop();
        alive.remove(strand);
        return true;
    }

    void point(Point kind) {
        point(kind, GOES_ON);
    }

    /** A place where others may go on. Returns which of its ways the running strand shall take. */
    int point(Point kind, List<Way> ways) {
        if (!exploring) {
            return 0;
        }
        unwindIfOver();
        Strand self = current;
        self.readyFor(ways);
        dispatch(self, kind);
        return self.way();
    }

    /** Waits until somebody or something unblocks the running strand, which then goes on by one of the ways. */
    int block(List<Way> ways) {
        if (!exploring) {
            throw new IllegalStateException("nobody would end the wait");
        }
        unwindIfOver();
        Strand self = current;
        self.blocked(ways);
        dispatch(self, Point.WAITS);
        return self.way();
    }

    /** As {@link #block}, or until an interrupt arrives. */
    void blockUntilInterrupted(List<Way> ways) {
        unwindIfOver();
        Strand self = current;
        self.blockedUntilInterrupted(ways);
        dispatch(self, Point.WAITS);
    }

    private void unwindIfOver() {
        if (aborting) {
            throw new Unwound();
        }
    }

    /** Runs to the end. To be called by the explorer. */
    End run(Supplier<String> verdict) {
        exploring = true;
        footprint = Footprint.EVERYTHING;
        Strand first = next(null, Point.WAITS);
        if (first != null) {
            first.resume(crew);
            awaitEnd();
        }
        unwind();
        exploring = false;
        failure.ifPresent(e -> {
            throw new IllegalStateException(e.getMessage(), e);
        });
        if (end == End.DONE) {
            objection = verdict.get();
            end = objection.isEmpty() ? End.DONE : End.VIOLATED;
        }
        return end;
    }

    Violation violation() {
        return new Violation(objection, inWords(), path.choices());
    }

    /** Decides who goes on, and lets it. Returns when that is the strand that asks. */
    private void dispatch(Strand self, Point kind) {
        Strand next = next(self, kind);
        if (next == self) {
            self.deliverInterrupt();
            return;
        }
        boolean finished = self.done();
        if (next == null) {
            ended = true;
            LockSupport.unpark(explorer);
        } else {
            next.resume(crew);
        }
        if (!finished) {
            self.awaitTurn();
            unwindIfOver();
            self.deliverInterrupt();
        }
    }

    /** The strand that is chosen to go on, after time has passed if that was chosen; null at the end. */
    private Strand next(Strand self, Point kind) {
        try {
            return choose(self, kind);
        } catch (RuntimeException | Error e) {
            failure = Optional.of(e);
            end = End.VIOLATED;
            return null;
        }
    }

    private Strand choose(Strand self, Point kind) {
        while (true) {
            stepDone();
            if (!objection.isEmpty()) {
                end = End.VIOLATED;
                return null;
            }
            if (trace.size() > interesting) {
                end = End.PRUNED;
                return null;
            }
            boolean mayPreempt =
                    kind == Point.WAITS || self == null || !self.ready() || preemptions < bounds.preemptions();
            boolean waiting = collect(self, mayPreempt);
            if (keys.isEmpty()) {
                return quietEnd();
            }
            int chosen = branching ? path.choose(keys) : 0;
            if (chosen == Path.PRUNED) {
                end = End.PRUNED;
                return null;
            }
            footprint = Footprint.NOTHING;
            if (chosen == candidates.size()) {
                slow += waiting ? 1 : 0;
                passTime();
            } else {
                Strand strand = candidates.get(chosen);
                if (kind == Point.COMPUTES && self != null && self.ready() && strand != self) {
                    preemptions++;
                }
                take(strand, candidateWays.get(chosen));
                return strand;
            }
        }
    }

    private void take(Strand strand, Way way) {
        faults += way.cost() == Way.Cost.FAULT ? 1 : 0;
        trace.add(new Happened(strand.name, way.what(), now));
        strand.chosen(strand.ways().indexOf(way));
        touch(Footprint.of(strand.name));
        current = strand;
    }

    private void stepDone() {
        steps.lazySet(steps.get() + 1); // by whoever may run
        exploring = false;
        String wrong = invariant.get();
        exploring = true;
        if (!wrong.isEmpty()) {
            object(wrong);
        }
        if (steps.get() > LONGEST) {
            object("it does not end");
        }
        if (branching) {
            path.stepped(footprint);
        }
    }

    /** Collects what may come next; whether somebody could go on. */
    private boolean collect(Strand self, boolean mayPreempt) {
        candidates.clear();
        candidateWays.clear();
        keys.clear();
        boolean waiting = false;
        if (self != null && self.ready()) {
            waiting = !self.lazy;
            add(self);
        }
        if (mayPreempt) {
            for (Strand strand : alive) {
                if (strand != self && strand.ready() && !strand.lazy) {
                    waiting = true;
                    add(strand);
                }
            }
            for (Strand strand : alive) {
                if (strand != self && strand.ready() && strand.lazy) {
                    add(strand);
                }
            }
        }
        if (!events.isEmpty() && (!waiting || timeMayPass())) {
            keys.add(TIME);
        }
        return waiting;
    }

    private void add(Strand strand) {
        for (Way way : strand.ways()) {
            if (way.cost() == Way.Cost.NONE || (branching && faults < bounds.faults())) {
                candidates.add(strand);
                candidateWays.add(way);
                keys.add(strand.name + ": " + way.what());
            }
        }
    }

    private void passTime() {
        touch(Footprint.EVERYTHING);
        Event first = events.remove();
        now = first.at;
        trace.add(new Happened("time", "passes", now));
        first.effect.run();
        while (!events.isEmpty() && events.peek().at == now) {
            events.remove().effect.run();
        }
    }

    private Strand quietEnd() {
        if (!alive.isEmpty()) {
            objection = "nobody can go on, but these have not ended: "
                    + alive.stream()
                            .map(strand ->
                                    strand.name + " (" + strand.ways().get(0).what() + ")")
                            .collect(Collectors.joining(", "));
            end = End.VIOLATED;
        }
        return null;
    }

    private void awaitEnd() {
        long patience = bounds.patience().toNanos();
        long seen = steps.get();
        long since = System.nanoTime();
        while (!ended) {
            LockSupport.parkNanos(this, patience / 2);
            if (steps.get() != seen) {
                seen = steps.get();
                since = System.nanoTime();
            } else if (!ended && System.nanoTime() - since > patience) {
                stalled = current;
                objection = current.name + " does not come back: " + stack(current.thread());
                end = End.VIOLATED;
                return;
            }
        }
    }

    private static String stack(Thread thread) {
        return thread.getState() + " "
                + Arrays.stream(thread.getStackTrace())
                        .map(StackTraceElement::toString)
                        .collect(Collectors.joining("\n        at ", "\n        at ", ""));
    }

    /** Ends the threads of strands that have not come to their end; one that does not react is left alone. */
    private void unwind() {
        aborting = true;
        for (Strand strand : List.copyOf(alive)) {
            if (!strand.started() || strand == stalled) {
                continue;
            }
            unwound = false;
            current = strand;
            strand.resume(crew);
            long patience = bounds.patience().toNanos();
            long start = System.nanoTime();
            while (!unwound && System.nanoTime() - start < patience) {
                LockSupport.parkNanos(this, patience);
            }
        }
        alive.clear();
        events.clear();
    }

    private List<String> inWords() {
        return trace.stream()
                .map(step -> String.format("%8.1f ms  %s %s", step.at / 1_000_000.0, step.who, step.what))
                .toList();
    }
}
