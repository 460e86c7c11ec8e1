// SPDX-License-Identifier: Apache-2.0
package io.polylock.explore;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.LockSupport;

/** Real threads, used again and again. Touched by nobody but the one who may run, so that it needs no lock. */
final class Crew {

    private final Deque<Member> idle = new ArrayDeque<>();
    private int hired;

    /** One thread. */
    static final class Member {

        private final Crew crew;
        private final Thread thread;
        private volatile Runnable next;

        private Member(Crew crew, String name) {
            this.crew = crew;
            this.thread = new Thread(this::work, name);
            thread.setDaemon(true);
        }

        Thread thread() {
            return thread;
        }

        /** To be called by the thread itself, as the last thing before it hands the right to run to somebody. */
        void goHome() {
            Thread.interrupted();
            crew.idle.push(this);
        }

        private void work() {
            while (true) {
                Runnable work = next;
                if (work == null) {
                    LockSupport.park(this);
                } else {
                    next = null;
                    work.run();
                }
            }
        }
    }

    /** A thread that is free; it runs when it is told to. */
    Member take() {
        Member member = idle.poll();
        if (member == null) {
            member = new Member(this, "strand-" + ++hired);
            member.thread.start();
        }
        return member;
    }

    static void run(Member member, Runnable work) {
        member.next = work;
        LockSupport.unpark(member.thread);
    }
}
