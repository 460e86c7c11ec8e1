// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import io.polylock.LockBackendException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import redis.clients.jedis.JedisPubSub;

/**
 * The one connection on which a backend listens, and its thread. It comes with the first who needs it and comes back by
 * itself after it broke, as long as somebody needs it. Thread-safe.
 */
final class SignalConnection implements AutoCloseable {

    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long LONGEST_PAUSE_MILLIS = 5_000;

    /** What the connection serves. Called on its thread, {@code isNeeded} on any. */
    interface Audience {

        /** A message came. */
        void heard(String message);

        /** The connection is back after it was lost: messages may have been missed. */
        void gap();

        /** Whether somebody wants to hear. */
        boolean isNeeded();
    }

    /**
     * When a connection counts as dead.
     *
     * @param silence after this time without a sound the server is asked for one
     * @param answer within this time it must come, as must the first
     */
    record Patience(Duration silence, Duration answer) {
        static final Patience DEFAULT = new Patience(Duration.ofSeconds(45), Duration.ofSeconds(2));
    }

    private final SignalLine line;
    private final String channel;
    private final Patience patience;
    private final ScheduledExecutorService errands;
    private final Audience audience;

    // guarded by this
    private Optional<Ear> current = Optional.empty();
    private long pauseMillis = FIRST_PAUSE_MILLIS;
    private Future<?> comeback = CompletableFuture.completedFuture(null);
    private boolean lost;
    private boolean closed;

    SignalConnection(
            SignalLine line, String channel, Patience patience, ScheduledExecutorService errands, Audience audience) {
        this.line = line;
        this.channel = channel;
        this.patience = patience;
        this.errands = errands;
        this.audience = audience;
    }

    /**
     * Waits until the server has confirmed that it sends us what comes for our channel. Those who come at the same time wait
     * for the same connecting.
     *
     * @throws LockBackendException if it did not in time, or refused us; nothing was changed
     */
    void await(Deadline deadline) {
        try {
            open().subscribed.get(deadline.leftNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof LockBackendException failure) {
                throw new LockBackendException(failure.outcome(), String.valueOf(failure.getMessage()), failure);
            }
            throw RedisErrors.noConnection(line.place(), e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            throw RedisErrors.noConnection(line.place(), e);
        } catch (InterruptedException e) {
            throw RedisErrors.interrupted(line.place(), e);
        }
    }

    /** Ends the connection and its thread, without waiting for the server. */
    @Override
    public void close() {
        Optional<Ear> last;
        synchronized (this) {
            closed = true;
            last = current;
        }
        last.ifPresent(Ear::cut);
        line.close();
    }

    private synchronized Ear open() {
        if (closed) {
            throw new IllegalStateException("the connection for release signals is closed");
        }
        if (current.isEmpty()) {
            connect();
        }
        Ear ear = current.orElseThrow();
        ear.beChecked();
        return ear;
    }

    private synchronized void connect() {
        Ear ear = new Ear();
        after(patience.answer, () -> {
            if (!ear.subscribed.isDone()) {
                drop(ear);
            }
        });
        RedisSignals.daemon(() -> listen(ear), "polylock-signals").start();
        current = Optional.of(ear); // last: where there is no thread, the next one tries again
    }

    private void listen(Ear ear) {
        try {
            line.listen(ear, channel, Deadline.in(patience.answer), ear::cutBy);
            ended(ear, new IllegalStateException("the server ended the listening"));
        } catch (RuntimeException | Error e) {
            ended(ear, e);
        }
    }

    /** Gives up a connection that does not answer. */
    private void drop(Ear ear) {
        ended(ear, new SocketTimeoutException("no sound in time"));
        ear.cut();
    }

    private void ended(Ear ear, Throwable why) {
        synchronized (this) {
            if (current.filter(ear::equals).isEmpty()) {
                return;
            }
            current = Optional.empty();
            ear.nextCheck.cancel(false);
            if (ear.wasSubscribed()) {
                lost = true;
                pauseMillis = FIRST_PAUSE_MILLIS;
            }
            if (!closed) {
                // those who ask meanwhile connect at once: without this, each of their failures would add one that
                // repeats
                comeback.cancel(false);
                comeback = schedule(jittered(pauseMillis), this::reconnect);
                pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
            }
        }
        ear.subscribed.completeExceptionally(why);
    }

    private synchronized void reconnect() {
        if (closed || current.isPresent()) {
            return;
        }
        if (audience.isNeeded()) {
            try {
                connect();
            } catch (RuntimeException | Error noThread) {
                after(Duration.ofMillis(LONGEST_PAUSE_MILLIS), this::reconnect);
            }
        } else {
            lost = false;
            pauseMillis = FIRST_PAUSE_MILLIS;
        }
    }

    private synchronized boolean foundAgain() {
        boolean again = lost;
        lost = false;
        return again;
    }

    private synchronized boolean isCurrent(Ear ear) {
        return !closed && current.filter(ear::equals).isPresent();
    }

    private void after(Duration pause, Runnable errand) {
        Future<?> unused = schedule(pause, errand);
    }

    private Future<?> schedule(Duration pause, Runnable errand) {
        return errands.schedule(errand, pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    private static Duration jittered(long millis) {
        return Duration.ofMillis(ThreadLocalRandom.current().nextLong(millis / 2, millis + 1));
    }

    /** One connection, from the attempt to its end. */
    private final class Ear extends JedisPubSub {

        private final CompletableFuture<Void> subscribed = new CompletableFuture<>();
        private final CompletableFuture<Runnable> cutter = new CompletableFuture<>();
        private volatile long lastSoundNanos = System.nanoTime();

        // guarded by the connection
        private boolean checked;
        private Future<?> nextCheck = CompletableFuture.completedFuture(null);

        @Override
        public void onSubscribe(String to, int channels) {
            lastSoundNanos = System.nanoTime();
            if (!isCurrent(this)) {
                cut();
            } else if (subscribed.complete(null) && foundAgain()) {
                audience.gap();
            }
        }

        @Override
        public void onMessage(String from, String message) {
            lastSoundNanos = System.nanoTime();
            if (isCurrent(this)) {
                audience.heard(message);
            }
        }

        boolean wasSubscribed() {
            return subscribed.isDone() && !subscribed.isCompletedExceptionally();
        }

        void cutBy(Runnable means) {
            cutter.complete(means);
        }

        /** Ends it, now or as soon as it can be ended. */
        void cut() {
            Future<?> unused = cutter.thenAccept(Runnable::run);
        }

        /** Looks after the connection as long as somebody needs it. */
        void beChecked() {
            if (!checked) {
                checked = true;
                next(Duration.ZERO, this::check);
            }
        }

        void next(Duration pause, Runnable check) {
            synchronized (SignalConnection.this) {
                nextCheck = schedule(pause, check);
            }
        }

        private void check() {
            long sound = lastSoundNanos;
            Duration left = patience.silence.minusNanos(System.nanoTime() - sound);
            synchronized (SignalConnection.this) {
                checked = isCurrent(this) && audience.isNeeded();
                if (!checked) {
                    return;
                }
                if (left.toNanos() > 0 || !wasSubscribed()) {
                    next(left.toNanos() > 0 ? left : patience.answer, this::check);
                    return;
                }
            }
            askForASound(sound);
        }

        /** Subscribes again: unlike PING it needs no permission of its own and proves that we are still known. */
        private void askForASound(long last) {
            try {
                subscribe(channel);
            } catch (RuntimeException e) {
                drop(this);
                return;
            }
            next(patience.answer, () -> {
                if (lastSoundNanos == last) {
                    drop(this);
                } else {
                    check();
                }
            });
        }
    }
}
