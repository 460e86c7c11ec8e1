// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.spi.LockClock;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Keeps leases alive for as long as they are held and somebody can release them. One failure never ends that: it is tried
 * again until the validity is over. Leases of alike TTL that are due at about the same time share a request, if the store
 * can do that. The timer starts it, a lane does the request. Thread-safe; no request runs under its monitor.
 */
final class Renewals {

    /* When a renewal is due is rounded down to a grid, whose step is a tenth of the interval: what falls into one step is
     * one round. That takes the place of jitter: each manager has a grid of its own. */

    /** After two failures each lease of a full batch is alone: there may be no time for more. */
    private static final int SPLIT = 16;

    private final LockClock clock;
    private final LockClock.Workers workers;
    private final Agenda agenda;
    private final Numbers numbers;
    private final Renewer renewer;
    private final long gridStart =
            ThreadLocalRandom.current().nextLong(Duration.ofDays(1).toNanos());
    private final Map<Key, Round> rounds = new HashMap<>();
    private final Map<Integer, Executor> lanes = new HashMap<>();

    /**
     * Which leases are renewed together.
     *
     * @param magnitude of the interval: see {@link #magnitude}
     * @param most how many may share a request
     */
    private record Key(int magnitude, long dueNanos, int most) {}

    private record Round(Set<ActiveLease> leases, LockClock.Scheduled start) {}

    Renewals(LockClock clock, LockClock.Workers workers, Agenda agenda, Numbers numbers, Renewer renewer) {
        this.clock = clock;
        this.workers = workers;
        this.agenda = agenda;
        this.numbers = numbers;
        this.renewer = renewer;
    }

    /** Plans the next renewal of a lease that was confirmed just now. */
    void plan(ActiveLease lease) {
        long interval = renewer.intervalNanos(lease);
        int magnitude = magnitude(interval);
        long step = Math.max(1, (long) ((1L << magnitude) * numbers.renewalJitter()));
        long latest = clock.nanoTime() + interval;
        long due = latest - Math.floorMod(latest - gridStart, step);
        join(new Key(magnitude, due, renewer.most()), lease);
    }

    /** How many rounds are planned. */
    synchronized int size() {
        return rounds.size();
    }

    private void planRetry(Collection<ActiveLease> leases, int most) {
        long now = clock.nanoTime();
        for (ActiveLease lease : leases) {
            long delay = Math.min(
                    lease.request().ttl().toNanos() / numbers.retriesPerTtl(),
                    numbers.retryCeiling().toNanos());
            join(new Key(magnitude(renewer.intervalNanos(lease)), now + delay, most), lease);
        }
    }

    private void join(Key key, ActiveLease lease) {
        lease.planRenewal(() -> add(key, lease));
    }

    private synchronized LockClock.Scheduled add(Key key, ActiveLease lease) {
        Round round = rounds.computeIfAbsent(key, this::newRound);
        round.leases.add(lease);
        return () -> leave(key, round, lease);
    }

    private Round newRound(Key key) {
        Duration delay = Duration.ofNanos(key.dueNanos - clock.nanoTime());
        return new Round(new LinkedHashSet<>(), agenda.after(delay, () -> begin(key)));
    }

    private synchronized void leave(Key key, Round round, ActiveLease lease) {
        if (round.leases.remove(lease) && round.leases.isEmpty()) {
            rounds.remove(key);
            round.start.cancel();
        }
    }

    private void begin(Key key) {
        List<ActiveLease> due = take(key);
        for (int start = 0; start < due.size(); start += key.most) {
            handOver(key, due.subList(start, Math.min(start + key.most, due.size())));
        }
    }

    private synchronized List<ActiveLease> take(Key key) {
        Round round = rounds.remove(key);
        if (round == null) {
            return List.of();
        }
        List<ActiveLease> leases = List.copyOf(round.leases);
        round.leases.clear(); // a lease that is kept must not keep the others
        return leases;
    }

    private void handOver(Key key, List<ActiveLease> leases) {
        try {
            lane(key).execute(() -> renew(leases, key.most));
        } catch (RejectedExecutionException managerClosed) {
            Log.quietly(Level.DEBUG, () -> "no renewal of " + leases.size() + " leases: the manager is closed");
        } catch (RuntimeException | Error noThread) {
            planRetry(leases, key.most);
        }
    }

    /** Requests of different bounds do not wait for each other: a long one that hangs would cost short leases their validity. */
    private synchronized Executor lane(Key key) {
        int magnitude = Math.min(key.magnitude, magnitude(renewer.longestBoundNanos()));
        return lanes.computeIfAbsent(magnitude, bound -> workers.lane("renewal-" + bound, renewer.threads()));
    }

    private void renew(List<ActiveLease> leases, int most) {
        Map<Integer, List<ActiveLease>> byBound = new TreeMap<>();
        for (ActiveLease lease : leases) {
            long bound = renewer.boundNanos(lease);
            if (lease.abandoned()) {
                Log.quietly(
                        Level.WARNING,
                        () -> "nobody can release the lease on lock '"
                                + lease.request().name() + "' any more, so it is not renewed; close every lease");
            } else if (bound > 0) {
                byBound.computeIfAbsent(magnitude(bound), same -> new ArrayList<>())
                        .add(lease);
            }
        }
        // one that has little time left, because of its maximum hold, must not leave as little to the others
        byBound.values().forEach(alike -> renewAlike(alike, most));
    }

    private void renewAlike(List<ActiveLease> leases, int most) {
        try {
            Renewer.Report report = renewer.renew(leases);
            report.confirmed().forEach(this::plan);
            report.failure().ifPresent(failure -> {
                planRetry(report.failed(), mostAfter(failure, leases.size(), most));
                Log.quietly(
                        Level.WARNING,
                        () -> "renewing lock '"
                                + report.failed().get(0).request().name() + "'"
                                + others(report.failed().size()) + " failed; it is tried again",
                        failure);
            });
        } catch (RuntimeException | Error e) {
            planRetry(leases, most);
            Log.quietly(Level.WARNING, () -> "renewing " + leases.size() + " leases failed; it is tried again", e);
        }
    }

    /** If nobody knows what happened, one lease may have spoiled the request: smaller ones leave it alone soon. */
    private static int mostAfter(LockBackendException failure, int size, int most) {
        return failure.outcome() == Outcome.UNKNOWN ? Math.max(1, size / SPLIT) : most;
    }

    private static String others(int failed) {
        return failed == 1 ? "" : " and " + (failed - 1) + " others";
    }

    /** The power of two that is not above a number: what has the same one is alike. */
    private static int magnitude(long nanos) {
        return Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos);
    }
}
