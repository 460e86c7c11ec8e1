// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import java.util.Optional;

/** Tells what happens while it happens: who holds the lock with which token, and what goes wrong. */
final class Narrator {

    private final Screen screen;
    private final Chronicle chronicle;

    Narrator(Screen screen, Chronicle chronicle) {
        this.screen = screen;
        this.chronicle = chronicle;
    }

    void tell(int worker, WorkerEvent event, Optional<Hold> endedHold) {
        String who = name(worker);
        switch (event.kind()) {
            case INSIDE ->
                screen.event("@|green %s holds the lock|@, token %d, counter %d"
                        .formatted(who, event.token(), event.number()));
            case REFRAINED ->
                screen.event(
                        "@|yellow %s sees that its lease is not held and does not write the counter|@".formatted(who));
            case FENCED ->
                screen.event("@|yellow %s tries the ledger all the same: refused, its token %d is older than %d|@"
                        .formatted(who, event.token(), event.number()));
            case LOST -> screen.event("@|yellow %s is told that its lease is lost: %s|@".formatted(who, event.text()));
            case TOLD -> screen.event("@|yellow %s says: %s|@".formatted(who, event.text()));
            case FAILED -> screen.event("@|red %s got no lock: %s|@".formatted(who, event.text()));
            case HELLO, WAITING, ACQUIRED, STILL, LEAVING, WROTE, ENTERED, RELEASING, BYE -> {}
        }
        endedHold.ifPresent(this::tellOverlaps);
    }

    private void tellOverlaps(Hold hold) {
        for (Hold other : chronicle.overlapping(hold)) {
            screen.event("@|bold,red OVERLAP: %s and %s both believed to hold the lock, for %.2f s|@"
                    .formatted(name(other.worker()), name(hold.worker()), Screen.seconds(hold.sharedNanos(other))));
        }
    }

    static String name(int worker) {
        return "worker " + worker;
    }
}
