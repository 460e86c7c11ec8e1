// SPDX-License-Identifier: Apache-2.0
package io.polylock.memory;

import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.internal.Checks;
import io.polylock.spi.Acquisition;
import io.polylock.spi.BackendFeature;
import io.polylock.spi.BatchRenewal;
import io.polylock.spi.Fencing;
import io.polylock.spi.Handover;
import io.polylock.spi.Holder;
import io.polylock.spi.Inspection;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockClock;
import io.polylock.spi.LockName;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import io.polylock.spi.Ownership;
import io.polylock.spi.QuorumMember;
import io.polylock.spi.ReleaseSignals;
import io.polylock.spi.RenewResult;
import io.polylock.spi.Vote;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A client of a {@link MemoryStore}: every feature of the SPI in its plainest form. For unit tests of applications, and the
 * reference for authors of backends. {@code LockManager.open("memory:name")} opens one on a store that all such URLs of the
 * JVM share as long as one of them is open. Thread-safe.
 */
public final class MemoryLockBackend implements LockBackend {

    private final MemoryStore store;
    private final Runnable whenClosed;
    private final Features features = new Features();
    private volatile boolean closed;

    private MemoryLockBackend(MemoryStore store, Runnable whenClosed) {
        this.store = store;
        this.whenClosed = whenClosed;
    }

    /**
     * A client of a store.
     *
     * @param store the store
     */
    public static MemoryLockBackend of(MemoryStore store) {
        return new MemoryLockBackend(Objects.requireNonNull(store, "store"), () -> {});
    }

    /** A client of a new store on the machine's clock. */
    public static MemoryLockBackend create() {
        return of(MemoryStore.on(LockClock.system()));
    }

    static MemoryLockBackend shared(MemoryStore store, Runnable whenClosed) {
        return new MemoryLockBackend(store, whenClosed);
    }

    @Override
    public Acquisition tryAcquire(LockRequest request) {
        return answer(() -> store.records().acquire(request));
    }

    @Override
    public Ownership renew(LockRequest request) {
        return answer(() -> store.records().renew(request));
    }

    @Override
    public Ownership release(LockRequest request) {
        return answer(() -> signalled(request.name(), store.records().release(request)));
    }

    @Override
    public <F extends BackendFeature> Optional<F> feature(Class<F> type) {
        return type.isInstance(features) ? Optional.of(type.cast(features)) : Optional.empty();
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            whenClosed.run();
        }
    }

    @Override
    public String toString() {
        return "memory";
    }

    private <T> T answer(Supplier<T> step) {
        if (closed) {
            throw new IllegalStateException("the memory backend is closed");
        }
        return switch (store.network()) {
            case UP -> step.get();
            case REFUSES -> throw new LockBackendException(Outcome.NOT_APPLIED, "no connection to the memory store");
            case LOSES_REQUESTS -> throw noAnswer();
            case LOSES_REPLIES -> {
                applied(step);
                throw noAnswer();
            }
        };
    }

    private Ownership signalled(LockName name, Ownership ownership) {
        if (ownership == Ownership.HELD) {
            store.signals().released(name.value(), this);
        }
        return ownership;
    }

    @SuppressWarnings("ReturnValueIgnored") // the answer is what gets lost
    private static void applied(Supplier<?> step) {
        step.get();
    }

    private static LockBackendException noAnswer() {
        return new LockBackendException(Outcome.UNKNOWN, "no answer from the memory store");
    }

    private final class Features implements Fencing, Handover, BatchRenewal, ReleaseSignals, Inspection, QuorumMember {

        @Override
        public Acquisition handOver(OwnerToken giver, LockRequest heir) {
            return answer(() -> store.records().handOver(giver, heir));
        }

        @Override
        public List<RenewResult> renewAll(List<LockRequest> requests) {
            return requests.stream().map(this::renewOne).toList();
        }

        private RenewResult renewOne(LockRequest request) {
            try {
                return new RenewResult.Answered(renew(request));
            } catch (LockBackendException e) {
                return new RenewResult.Failed(e);
            }
        }

        @Override
        public Subscription watch(LockName name, SignalListener listener, Duration answerWithin) {
            return answer(() -> confirmed(name, listener));
        }

        /** What nobody confirms is not kept. */
        private Subscription confirmed(LockName name, SignalListener listener) {
            if (store.network() == MemoryStore.Network.LOSES_REPLIES) {
                throw noAnswer();
            }
            return store.signals().watch(name.value(), MemoryLockBackend.this, listener);
        }

        @Override
        public Optional<Holder> inspect(LockName name, Duration answerWithin) {
            return answer(() -> store.records().inspect(name.value()));
        }

        @Override
        public Page list(Optional<String> after, int limit, Duration answerWithin) {
            Checks.pageLimit(limit);
            return answer(() -> store.records().list(after, limit));
        }

        @Override
        public Optional<Holder> revoke(LockName name, Duration answerWithin) {
            return answer(() -> {
                Optional<Holder> holder = store.records().revoke(name.value());
                holder.ifPresent(gone -> store.signals().released(name.value(), MemoryLockBackend.this));
                return holder;
            });
        }

        @Override
        public Vote.Join join(LockRequest request, Optional<OwnerToken> giver) {
            return answer(() -> store.records().join(request, giver));
        }

        @Override
        public Vote.Confirmation confirm(LockRequest request, String incarnation, long token, Duration maxSkew) {
            return answer(() -> store.records().confirm(request, incarnation, token, maxSkew));
        }
    }
}
