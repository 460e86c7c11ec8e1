// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import io.polylock.spi.Acquisition;
import io.polylock.spi.BackendFeature;
import io.polylock.spi.BackendUrl;
import io.polylock.spi.Fencing;
import io.polylock.spi.Handover;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockName;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import io.polylock.spi.Ownership;
import io.polylock.spi.ResendingClient;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import redis.clients.jedis.Connection;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.util.Pool;

/**
 * Locks on one Redis. A lock is a plain string key that holds the owner token, taken as by {@code SET NX PX} and freed by
 * compare-and-delete, so that lock clients of other languages are excluded too. Each operation is one script in one round
 * trip. Thread-safe.
 *
 * <p>Source: <a href="https://redis.io/docs/latest/develop/use/patterns/distributed-locks/">Distributed locks with Redis</a>,
 * the part on a single instance.
 */
public final class RedisLockBackend implements LockBackend {

    private final ScriptRunner runner;
    private final Askers askers;
    private final Reach reach;
    private final RedisOptions options;
    private final RedisSteps steps;
    private final RedisAnswers answers;
    private final String shown;
    private final Optional<RedisSignals> signals;
    private final AtomicBoolean saidThatNobodySignals = new AtomicBoolean();
    private final List<BackendFeature> features = new ArrayList<>();
    private volatile boolean closed;

    /** What can be known about the way to the server. */
    private enum Reach {
        /** Connections of one server, each for one request. */
        CONNECTIONS,
        /** A client that leads to one server and may send a request again. */
        CLIENT,
        /** A client that leads to many servers and may send a request again. */
        CLUSTER
    }

    private RedisLockBackend(
            ScriptRunner runner,
            Askers askers,
            Reach reach,
            RedisOptions options,
            String shown,
            Optional<SignalLine> line) {
        RedisKeys keys = new RedisKeys(options.prefix());
        this.runner = runner;
        this.askers = askers;
        this.reach = reach;
        this.options = options;
        this.steps = new RedisSteps(keys);
        this.answers = new RedisAnswers(keys);
        this.shown = shown;
        features.add(new Grants());
        if (reach == Reach.CONNECTIONS) {
            features.add(new RedisBatches(keys, runner, this::requireOpen));
        } else {
            features.add(new Resending());
        }
        if (reach != Reach.CLUSTER) {
            features.add(new RedisNode(keys, runner, this::run));
            features.add(new RedisInspection(keys, runner, this::ask));
        }
        this.signals =
                line.map(known -> new RedisSignals(keys, runner, this::ask, known, SignalConnection.Patience.DEFAULT));
        signals.ifPresent(features::add);
    }

    /**
     * Locks through a client that the application has already, with the prefix {@code lock:}.
     *
     * @param client stays open when the backend is closed. A {@link RedisClient} is best: its pool lets each request keep its
     *     own time. Through any other client its own timeouts bound a request, and the backend declares
     *     {@link ResendingClient}
     */
    public static RedisLockBackend of(UnifiedJedis client) {
        return of(client, RedisOptions.DEFAULTS);
    }

    /**
     * As {@link #of(UnifiedJedis)}, with options.
     *
     * @param client stays open when the backend is closed
     * @param options how to keep the locks
     */
    public static RedisLockBackend of(UnifiedJedis client, RedisOptions options) {
        Objects.requireNonNull(client, "client");
        Objects.requireNonNull(options, "options");
        String shown = "redis (" + client.getClass().getSimpleName() + ")";
        Optional<Pool<Connection>> pool = poolOf(client);
        if (pool.isPresent()) {
            ScriptRunner runner = new ConnectionRunner(new ClientConnections(pool.get()));
            Askers askers = Askers.on(pool.get().getMaxTotal());
            return new RedisLockBackend(runner, askers, Reach.CONNECTIONS, options, shown, Optional.empty());
        }
        Reach reach = isCluster(client) ? Reach.CLUSTER : Reach.CLIENT;
        return new RedisLockBackend(
                new ClientRunner(client), Askers.unlimited(), reach, options, shown, Optional.empty());
    }

    /** Locks through connections of our own. */
    static RedisLockBackend to(BackendUrl.Host address, JedisClientConfig handshake, int most, RedisOptions options) {
        return new RedisLockBackend(
                new ConnectionRunner(new OwnConnections(address, handshake, most)),
                Askers.on(most),
                Reach.CONNECTIONS,
                options,
                "redis://" + address + "/" + handshake.getDatabase(),
                Optional.of(new ConnectionLine(new OwnConnections(address, handshake, 1))));
    }

    /**
     * The same backend, to be used and closed in place of this one, which listens for releases: those who wait are woken by
     * one, instead of asking every second.
     *
     * @param listener where to listen: a client of the same server that has a connection to spare, because one of it is in use
     *     as long as the backend is open; stays open when the backend is closed. Best a {@link RedisClient} of its own. Through
     *     any other client its own timeouts bound the way to the server
     * @throws IllegalArgumentException if either client leads to a cluster, where a signal knows only those who listen on the
     *     same node
     */
    public RedisLockBackend withSignals(UnifiedJedis listener) {
        Objects.requireNonNull(listener, "listener");
        if (reach == Reach.CLUSTER || isCluster(listener)) {
            throw new IllegalArgumentException("release signals want a client of one server, not of a cluster");
        }
        SignalLine line = poolOf(listener)
                .<SignalLine>map(pool -> new ConnectionLine(new ClientConnections(pool)))
                .orElseGet(() -> new ClientLine(listener));
        return new RedisLockBackend(runner, askers, reach, options, shown, Optional.of(line));
    }

    @Override
    public Acquisition tryAcquire(LockRequest request) {
        LockName name = request.name();
        Optional<Watches.Standing> standing = signals.flatMap(known -> known.standing(name));
        Object reply = ask(steps.acquire(request, place(standing)), Deadline.in(request.answerWithin()));
        Acquisition acquisition = answers.acquisition(reply, name, runner.place());
        standing.ifPresent(before -> signals.orElseThrow().answered(name, before));
        if (acquisition instanceof Acquisition.Contended && signals.isEmpty()) {
            sayOnceThatNobodySignals();
        }
        return acquisition;
    }

    @Override
    public Ownership renew(LockRequest request) {
        Object reply = run(steps.renew(request), Deadline.in(request.answerWithin()));
        return answers.ownership(reply, runner.place());
    }

    @Override
    public Ownership release(LockRequest request) {
        Optional<RedisSteps.Place> place = place(signals.flatMap(known -> known.standing(request.name())));
        Object reply = run(steps.release(request, place), Deadline.in(request.answerWithin()));
        return answers.ownership(reply, runner.place());
    }

    @Override
    public <F extends BackendFeature> Optional<F> feature(Class<F> type) {
        return features.stream().filter(type::isInstance).findFirst().map(type::cast);
    }

    @Override
    public void close() {
        closed = true;
        signals.ifPresent(RedisSignals::close);
        runner.close();
    }

    @Override
    public String toString() {
        return shown;
    }

    private Object run(Script.Call call, Deadline deadline) {
        requireOpen();
        return runner.run(call, deadline);
    }

    private Object ask(Script.Call call, Deadline deadline) {
        requireOpen();
        return askers.ask(deadline, runner.place(), () -> runner.run(call, deadline));
    }

    private Optional<RedisSteps.Place> place(Optional<Watches.Standing> standing) {
        return standing.map(known -> {
            String channel = signals.orElseThrow().channel();
            return known.signalled() ? RedisSteps.Place.first(channel) : RedisSteps.Place.last(channel);
        });
    }

    private void sayOnceThatNobodySignals() {
        if (saidThatNobodySignals.compareAndSet(false, true)) {
            Log.quietly(
                    Level.INFO,
                    "locks on " + shown + " are polled for while they are contended: "
                            + (reach == Reach.CLUSTER
                                    ? "there are no release signals on a cluster"
                                    : "a second client, given to withSignals, would wake those who wait"));
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the backend " + shown + " is closed");
        }
    }

    private static Optional<Pool<Connection>> poolOf(UnifiedJedis client) {
        try {
            return client instanceof RedisClient pooled ? Optional.of(pooled.getPool()) : Optional.empty();
        } catch (ClassCastException otherProvider) {
            // it was built on a provider of the application's own, which need not have a pool
            return Optional.empty();
        }
    }

    @SuppressWarnings("deprecation") // applications still have the older one
    private static boolean isCluster(UnifiedJedis client) {
        return client instanceof RedisClusterClient || client instanceof JedisCluster;
    }

    private final class Grants implements Fencing, Handover {

        @Override
        public Acquisition handOver(OwnerToken giver, LockRequest heir) {
            Object reply = run(steps.handOver(giver, heir), Deadline.in(heir.answerWithin()));
            return answers.acquisition(reply, heir.name(), runner.place());
        }
    }

    private static final class Resending implements ResendingClient {}
}
