// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.spi.Ownership;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Keeps one lease alive for as long as it is held and somebody can release it. One failure never ends it: it is tried again
 * until the validity is over. The timer starts it, a lane does the request.
 */
final class Watchdog {

    private final Parts parts;
    private final ActiveLease lease;

    private Watchdog(Parts parts, ActiveLease lease) {
        this.parts = parts;
        this.lease = lease;
    }

    static void start(Parts parts, ActiveLease lease) {
        new Watchdog(parts, lease).planNext();
    }

    private void planNext() {
        double early =
                ThreadLocalRandom.current().nextDouble() * parts.numbers().renewalJitter();
        plan(Duration.ofNanos((long) (interval().toNanos() * (1 - early))));
    }

    private Duration interval() {
        return lease.request().ttl().dividedBy(parts.numbers().renewalsPerTtl());
    }

    private void planRetry() {
        Duration part = lease.request().ttl().dividedBy(parts.numbers().retriesPerTtl());
        Duration ceiling = parts.numbers().retryCeiling();
        plan(part.compareTo(ceiling) < 0 ? part : ceiling);
    }

    private void plan(Duration delay) {
        lease.renewAfter(delay, () -> {
            try {
                parts.renewals().execute(this::renew);
            } catch (RejectedExecutionException managerClosed) {
                Log.quietly(
                        Level.DEBUG,
                        () -> "no renewal of lock '" + lease.request().name() + "': the manager is closed");
            } catch (RuntimeException | Error noThread) {
                planRetry();
            }
        });
    }

    private void renew() {
        if (lease.abandoned()) {
            Log.quietly(
                    Level.WARNING,
                    () -> "nobody can release the lease on lock '"
                            + lease.request().name() + "' any more, so it is not renewed; close every lease");
            return;
        }
        if (!lease.turn().tryTake()) {
            return; // its holder is releasing it
        }
        try {
            renewInTurn();
        } catch (RuntimeException | Error e) {
            Log.quietly(
                    Level.WARNING, () -> "renewing lock '" + lease.request().name() + "' failed; it is tried again", e);
            planRetry();
        } finally {
            lease.turn().giveBack();
        }
    }

    private void renewInTurn() {
        long left = lease.remainingNanos();
        if (lease.state() != ActiveLease.State.HELD || left <= 0) {
            return;
        }
        // less than all that is left, so that one lost reply leaves time for another try
        long longest = Math.min(interval().toNanos(), parts.answerWithin().toNanos());
        Duration bound = Duration.ofNanos(Math.min(left, longest));
        Validity validity = Validity.startingNow(parts.clock(), lease.request().ttl(), parts.numbers());
        lease.storeAsked();
        Ownership found = parts.backend().renew(lease.request().withAnswerWithin(bound));
        if (found != Ownership.HELD) {
            lease.gone(found);
        } else if (lease.renewed(validity)) {
            planNext();
        }
    }
}
