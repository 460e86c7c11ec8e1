// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Pools of named daemon threads that come when they are needed and go when they are not. Thread-safe. */
public final class Lanes {

    private static final long IDLE_SECONDS = 5;
    private static final long FINISH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final String name;
    private final List<ExecutorService> pools = new ArrayList<>();
    private boolean closed;

    public Lanes(String name) {
        this.name = name;
    }

    public synchronized ExecutorService open(String lane, int threads) {
        if (closed) {
            throw new RejectedExecutionException(name + " is closed");
        }
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads,
                threads,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                threads(name + "-" + lane));
        pool.allowCoreThreadTimeOut(true);
        pools.add(pool);
        return pool;
    }

    /**
     * Lets the tasks finish for a moment, then interrupts them; an interrupt of the caller ends the moment and is kept.
     * Returns the tasks that never started.
     */
    public List<Runnable> close() {
        List<ExecutorService> all;
        synchronized (this) {
            closed = true;
            all = List.copyOf(pools);
        }
        all.forEach(ExecutorService::shutdown);
        long start = System.nanoTime();
        Interrupts.shield(() -> {
            for (ExecutorService pool : all) {
                if (!pool.awaitTermination(FINISH_NANOS - (System.nanoTime() - start), TimeUnit.NANOSECONDS)) {
                    return false;
                }
            }
            return true;
        });
        return all.stream().flatMap(pool -> pool.shutdownNow().stream()).toList();
    }

    static ThreadFactory threads(String prefix) {
        AtomicInteger next = new AtomicInteger(1);
        return task -> {
            // nothing of the caller that happens to be the first one: neither its thread-locals nor its class loader
            Thread thread = new Thread(null, task, prefix + "-" + next.getAndIncrement(), 0, false);
            thread.setContextClassLoader(Lanes.class.getClassLoader());
            thread.setDaemon(true);
            return thread;
        };
    }
}
