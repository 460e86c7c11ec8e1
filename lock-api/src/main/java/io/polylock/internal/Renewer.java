// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.spi.BatchRenewal;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockClock;
import io.polylock.spi.LockRequest;
import io.polylock.spi.Ownership;
import io.polylock.spi.RenewResult;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** Asks the store, once, to renew some leases. Thread-safe. */
final class Renewer {

    private final LockBackend backend;
    private final LockClock clock;
    private final Numbers numbers;
    private final Duration answerWithin;
    private final Optional<BatchRenewal> batch;

    /**
     * What became of a request.
     *
     * @param confirmed the leases that are held on
     * @param failed those for which there was no answer
     * @param failure why, for one of them
     */
    record Report(List<ActiveLease> confirmed, List<ActiveLease> failed, Optional<LockBackendException> failure) {}

    private record Asked(ActiveLease lease, LockRequest request, Validity validity) {}

    Renewer(LockBackend backend, LockClock clock, Numbers numbers, Duration answerWithin) {
        this.backend = backend;
        this.clock = clock;
        this.numbers = numbers;
        this.answerWithin = answerWithin;
        this.batch = backend.feature(BatchRenewal.class);
    }

    /** How many leases may share a request. */
    int most() {
        return batch.isPresent() ? numbers.renewalBatch() : 1;
    }

    /** How many requests may be on their way. */
    int threads() {
        return batch.isPresent() ? numbers.batchThreads() : numbers.renewalThreads();
    }

    long intervalNanos(ActiveLease lease) {
        return lease.request().ttl().toNanos() / numbers.renewalsPerTtl();
    }

    /** How long the store has for a renewal, whatever its TTL. */
    long longestBoundNanos() {
        return answerWithin.toNanos();
    }

    /** How long the store has: less than all that is left, so that one lost reply leaves time for another try. */
    long boundNanos(ActiveLease lease) {
        return Math.min(lease.remainingNanos(), Math.min(intervalNanos(lease), longestBoundNanos()));
    }

    /** Renews leases, those of them that nobody is releasing, within the smallest of their bounds. */
    Report renew(List<ActiveLease> leases) {
        Deque<ActiveLease> turns = new ArrayDeque<>(leases.size());
        try {
            List<Asked> asked = new ArrayList<>(leases.size());
            for (ActiveLease lease : leases) {
                if (lease.turn().tryTake()) { // else its holder is releasing it
                    turns.push(lease);
                    prepare(lease)
                            .ifPresentOrElse(
                                    asked::add, () -> turns.pop().turn().giveBack());
                }
            }
            return report(asked, answers(asked));
        } finally {
            turns.forEach(lease -> lease.turn().giveBack());
        }
    }

    private Optional<Asked> prepare(ActiveLease lease) {
        long bound = boundNanos(lease);
        if (lease.state() != ActiveLease.State.HELD || bound <= 0) {
            return Optional.empty();
        }
        LockRequest request = lease.request().withAnswerWithin(Duration.ofNanos(bound));
        Validity validity = Validity.startingNow(clock, request.ttl(), numbers);
        lease.storeAsked();
        return Optional.of(new Asked(lease, request, validity));
    }

    private List<RenewResult> answers(List<Asked> asked) {
        try {
            List<RenewResult> results = ask(asked.stream().map(Asked::request).toList());
            if (results.size() == asked.size()) {
                return results;
            }
            return allFailed(
                    asked,
                    new LockBackendException(
                            Outcome.UNKNOWN,
                            "the backend gave " + results.size() + " results for " + asked.size() + " renewals"));
        } catch (RuntimeException | Error e) {
            return allFailed(asked, asFailure(e));
        }
    }

    private List<RenewResult> ask(List<LockRequest> requests) {
        if (requests.size() > 1 && batch.isPresent()) {
            return batch.get().renewAll(requests);
        }
        List<RenewResult> results = new ArrayList<>(requests.size());
        for (LockRequest request : requests) {
            results.add(new RenewResult.Answered(backend.renew(request)));
        }
        return results;
    }

    private static List<RenewResult> allFailed(List<Asked> asked, LockBackendException failure) {
        return Collections.nCopies(asked.size(), new RenewResult.Failed(failure));
    }

    private static Report report(List<Asked> asked, List<RenewResult> results) {
        List<ActiveLease> confirmed = new ArrayList<>(asked.size());
        List<ActiveLease> failed = new ArrayList<>();
        Optional<LockBackendException> failure = Optional.empty();
        for (int i = 0; i < asked.size(); i++) {
            ActiveLease lease = asked.get(i).lease;
            try {
                if (isHeldOn(lease, ownership(results.get(i)), asked.get(i).validity)) {
                    confirmed.add(lease);
                }
            } catch (RuntimeException | Error e) {
                failed.add(lease);
                failure = failure.or(() -> Optional.of(asFailure(e)));
            }
        }
        return new Report(confirmed, failed, failure);
    }

    private static boolean isHeldOn(ActiveLease lease, Ownership found, Validity validity) {
        if (found == Ownership.HELD) {
            return lease.renewed(validity);
        }
        lease.gone(found);
        return false;
    }

    private static Ownership ownership(RenewResult result) {
        if (result instanceof RenewResult.Failed failed) {
            throw failed.failure();
        }
        return ((RenewResult.Answered) result).ownership();
    }

    private static LockBackendException asFailure(Throwable failure) {
        return failure instanceof LockBackendException known
                ? known
                : new LockBackendException(Outcome.UNKNOWN, "the backend failed while it renewed", failure);
    }
}
