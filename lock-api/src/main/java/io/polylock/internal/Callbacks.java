// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Runs what must not get lost on a lane: what comes too late for that, and finds nobody to be kept waiting, runs at once; what
 * finds no thread is tried again. Thread-safe.
 */
final class Callbacks implements Executor {

    /** When to try again to find a thread. */
    private static final Duration AGAIN = Duration.ofMillis(100);

    private final Executor lane;
    private final Agenda agenda;

    Callbacks(Executor lane, Agenda agenda) {
        this.lane = lane;
        this.agenda = agenda;
    }

    @Override
    public void execute(Runnable task) {
        try {
            lane.execute(task);
        } catch (RejectedExecutionException managerClosed) {
            task.run();
        } catch (RuntimeException | Error noThread) {
            agenda.after(AGAIN, () -> execute(task));
        }
    }
}
