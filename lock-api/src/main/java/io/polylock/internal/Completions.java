// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.FutureTask;

/**
 * Completes futures on a lane. Those that still wait for stages of the application when the lane ends are completed elsewhere:
 * whoever waits for a future would wait for ever. Thread-safe.
 */
final class Completions implements Executor {

    private final Executor lane;
    private final Set<FutureTask<?>> waiting = ConcurrentHashMap.newKeySet();

    Completions(Executor lane) {
        this.lane = lane;
    }

    @Override
    public void execute(Runnable task) {
        FutureTask<?> once = new FutureTask<>(task, true);
        waiting.add(once);
        lane.execute(() -> {
            waiting.remove(once);
            once.run();
        });
    }

    /** To be called when the lane has ended. */
    void close() {
        waiting.forEach(ForkJoinPool.commonPool()::execute);
        waiting.clear();
    }
}
