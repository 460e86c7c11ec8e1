// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import io.polylock.LockBackendException;
import io.polylock.spi.LockName;
import io.polylock.spi.ReleaseSignals;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor.DiscardPolicy;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/**
 * Signals of releases. All locks share one connection and one channel, ours; it stands in the lists of those locks that
 * somebody here waits for. A release takes the first channel off its list and signals there, so that one backend wakes per
 * release, and backends take turns. Thread-safe.
 */
final class RedisSignals implements ReleaseSignals, AutoCloseable {

    /** What passing on may take; nobody waits for it. */
    private static final Duration PASSING = Duration.ofSeconds(2);

    private final String channel = "polylock:" + UUID.randomUUID();
    private final RedisKeys keys;
    private final RedisSteps steps;
    private final RedisAnswers answers;
    private final ScriptRunner runner;
    private final BiFunction<Script.Call, Deadline, Object> run;
    private final Watches watches = new Watches();
    private final ScheduledThreadPoolExecutor errands = errands();
    private final SignalConnection connection;

    RedisSignals(
            RedisKeys keys,
            ScriptRunner runner,
            BiFunction<Script.Call, Deadline, Object> run,
            SignalLine line,
            SignalConnection.Patience patience) {
        this.keys = keys;
        this.steps = new RedisSteps(keys);
        this.answers = new RedisAnswers(keys);
        this.runner = runner;
        this.run = run;
        this.connection = new SignalConnection(line, channel, patience, errands, new AllWatches());
    }

    @Override
    public Subscription watch(LockName name, SignalListener listener, Duration answerWithin) {
        Objects.requireNonNull(listener, "listener");
        Deadline deadline = Deadline.in(answerWithin);
        Watches.Listening listening = watches.add(keys.lock(name), listener);
        boolean confirmed = false;
        try {
            connection.await(deadline);
            Object reply = run.apply(steps.watch(name, channel), deadline);
            if (answers.watchedFree(reply, name, runner.place())) {
                errands.execute(() -> listening.tell(SignalListener::released));
            }
            confirmed = true;
            return () -> end(name, listening);
        } finally {
            if (!confirmed) {
                end(name, listening);
            }
        }
    }

    /** Where we stand in the list of a lock; empty if nobody here waits for it. */
    Optional<Watches.Standing> standing(LockName name) {
        return watches.standing(keys.lock(name));
    }

    /** A request for a lock was answered that had been sent at this standing. */
    void answered(LockName name, Watches.Standing before) {
        watches.answered(keys.lock(name), before);
    }

    String channel() {
        return channel;
    }

    /** Ends the listening; signals that are to be passed on still are. */
    @Override
    public void close() {
        connection.close();
        errands.shutdown();
    }

    static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(null, task, name, 0, false);
        thread.setContextClassLoader(RedisSignals.class.getClassLoader());
        thread.setDaemon(true);
        return thread;
    }

    private void end(LockName name, Watches.Listening listening) {
        if (watches.removedUnanswered(listening)) {
            passOn(name);
        }
    }

    /** Wakes another backend in our place, unless the lock has been taken meanwhile. */
    private void passOn(LockName name) {
        Deadline deadline = Deadline.in(PASSING);
        errands.execute(() -> {
            try {
                runner.run(steps.passOn(name), deadline);
            } catch (LockBackendException e) {
                Log.quietly(Level.DEBUG, "a signal was not passed on; those who wait will look by themselves", e);
            }
        });
    }

    private static ScheduledThreadPoolExecutor errands() {
        ScheduledThreadPoolExecutor errands =
                new ScheduledThreadPoolExecutor(1, task -> daemon(task, "polylock-signals-errands"));
        errands.setKeepAliveTime(1, TimeUnit.SECONDS);
        errands.allowCoreThreadTimeOut(true);
        errands.setRemoveOnCancelPolicy(true);
        errands.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        errands.setRejectedExecutionHandler(new DiscardPolicy());
        return errands;
    }

    private final class AllWatches implements SignalConnection.Audience {

        @Override
        public void heard(String message) {
            if (!watches.heard(message)) {
                keys.nameAt(message).ifPresent(RedisSignals.this::passOn);
            }
        }

        @Override
        public void gap() {
            watches.gap();
        }

        @Override
        public boolean isNeeded() {
            return !watches.isEmpty();
        }
    }
}
