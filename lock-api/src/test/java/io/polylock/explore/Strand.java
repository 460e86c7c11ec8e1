// SPDX-License-Identifier: Apache-2.0
package io.polylock.explore;

import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** One thread of execution inside a schedule. All but {@code go} belongs to whoever may run. */
final class Strand {

    private static final List<Way> START = List.of(Way.free("starts"));

    final String name;

    /** Whether time need not wait for it: it may as well never run. */
    final boolean lazy;

    private final Runnable body;

    private List<Way> ways = START;
    private boolean ready = true;
    private boolean started;
    private boolean done;
    private boolean interruptible;
    private boolean interruptPending;
    private int way;
    private int children;
    private Crew.Member member;
    private volatile boolean go;

    Strand(String name, boolean lazy, Runnable body) {
        this.name = name;
        this.lazy = lazy;
        this.body = body;
    }

    List<Way> ways() {
        return ways;
    }

    boolean ready() {
        return ready;
    }

    boolean started() {
        return started;
    }

    boolean done() {
        return done;
    }

    int way() {
        return way;
    }

    /** A number for something that this strand brings forth. */
    int nextChild() {
        return ++children;
    }

    Thread thread() {
        return member.thread();
    }

    void readyFor(List<Way> next) {
        ways = next;
        ready = true;
    }

    void blocked(List<Way> next) {
        ways = next;
        ready = false;
        interruptible = false;
    }

    void blockedUntilInterrupted(List<Way> next) {
        ways = next;
        ready = interruptPending;
        interruptible = true;
    }

    void unblock() {
        ready = true;
    }

    void chosen(int index) {
        way = index;
        ready = false;
        interruptible = false;
    }

    void interrupt() {
        interruptPending = true;
        ready |= interruptible && !done;
    }

    /** Lets the strand run; the caller must not run any more. */
    void resume(Crew crew) {
        if (!started) {
            started = true;
            member = crew.take();
            Crew.run(member, body);
        } else {
            go = true;
            LockSupport.unpark(member.thread());
        }
    }

    /** Waits until it may run. To be called on its own thread. */
    void awaitTurn() {
        boolean interrupted = Thread.interrupted();
        while (!go) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        go = false;
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** An interrupt arrives when its strand runs. */
    void deliverInterrupt() {
        if (interruptPending) {
            interruptPending = false;
            Thread.currentThread().interrupt();
        }
    }

    void finish() {
        done = true;
        ready = false;
        member.goHome();
    }

    /** It never ran and never will. */
    void drop() {
        done = true;
        ready = false;
    }

    @Override
    public String toString() {
        return name;
    }
}
