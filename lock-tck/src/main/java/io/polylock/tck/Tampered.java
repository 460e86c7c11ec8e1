// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.spi.Acquisition;
import io.polylock.spi.BackendFeature;
import io.polylock.spi.BatchRenewal;
import io.polylock.spi.Handover;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockName;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import io.polylock.spi.Ownership;
import io.polylock.spi.ReleaseSignals;
import io.polylock.spi.RenewResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A backend whose answers and signals the kit counts and tampers with, to see what the engine makes of them. Thread-safe. */
final class Tampered implements LockBackend {

    /** What happens to one kind of request. */
    interface Fault {

        /** Requests pass. */
        Fault NONE = new Fault() {
            @Override
            public <T> T around(Supplier<T> request) {
                return request.get();
            }
        };

        /** Requests are applied, answers are lost. */
        Fault LOSE_REPLY = new Fault() {
            @Override
            public <T> T around(Supplier<T> request) {
                T lost = request.get();
                throw new LockBackendException(Outcome.UNKNOWN, "the kit lost the answer " + lost);
            }
        };

        /** Requests are lost. */
        Fault LOSE_REQUEST = failing(Outcome.UNKNOWN);

        /** There is no connection. */
        Fault UNREACHABLE = failing(Outcome.NOT_APPLIED);

        /** The store refuses. */
        Fault REFUSE = failing(Outcome.REFUSED);

        <T> T around(Supplier<T> request);

        private static Fault failing(Outcome outcome) {
            return new Fault() {
                @Override
                public <T> T around(Supplier<T> request) {
                    throw new LockBackendException(outcome, "the kit lets requests fail: " + outcome);
                }
            };
        }
    }

    final AtomicInteger acquires = new AtomicInteger();
    final AtomicInteger renews = new AtomicInteger();
    final AtomicInteger releases = new AtomicInteger();
    final AtomicInteger handovers = new AtomicInteger();
    volatile Fault onAcquire = Fault.NONE;
    volatile Fault onRenew = Fault.NONE;
    volatile Fault onRelease = Fault.NONE;
    volatile Fault onHandOver = Fault.NONE;
    volatile Fault onWatch = Fault.NONE;

    /** What becomes of a signal of the store. */
    volatile Consumer<Runnable> onSignal = Runnable::run;

    private final LockBackend backend;
    private final Set<Class<? extends BackendFeature>> missing;
    private final Set<ReleaseSignals.Subscription> listening = ConcurrentHashMap.newKeySet();
    private final List<ReleaseSignals.SignalListener> everListened = new CopyOnWriteArrayList<>();

    /** With what the store can do made unknown. */
    Tampered(LockBackend backend, Set<Class<? extends BackendFeature>> missing) {
        this.backend = backend;
        this.missing = missing;
    }

    /** How many listenings the engine has not ended. */
    int listening() {
        return listening.size();
    }

    /** How many requests that can give a lock were sent. */
    int asked() {
        return acquires.get() + handovers.get();
    }

    /** A signal without a release, to all who listen and all who did. */
    void signalFalsely() {
        everListened.forEach(ReleaseSignals.SignalListener::released);
    }

    @Override
    public Acquisition tryAcquire(LockRequest request) {
        acquires.incrementAndGet();
        return onAcquire.around(() -> backend.tryAcquire(request));
    }

    @Override
    public Ownership renew(LockRequest request) {
        renews.incrementAndGet();
        return onRenew.around(() -> backend.renew(request));
    }

    @Override
    public Ownership release(LockRequest request) {
        releases.incrementAndGet();
        return onRelease.around(() -> backend.release(request));
    }

    @Override
    public <F extends BackendFeature> Optional<F> feature(Class<F> type) {
        if (missing.contains(type)) {
            return Optional.empty();
        }
        return backend.feature(type).map(feature -> type.cast(tamperedWith(feature, type)));
    }

    private BackendFeature tamperedWith(BackendFeature feature, Class<?> type) {
        if (type == Handover.class) {
            return tampered((Handover) feature);
        }
        if (type == BatchRenewal.class) {
            return tampered((BatchRenewal) feature);
        }
        return type == ReleaseSignals.class ? tampered((ReleaseSignals) feature) : feature;
    }

    private Handover tampered(Handover feature) {
        return new Handover() {
            @Override
            public Acquisition handOver(OwnerToken giver, LockRequest heir) {
                handovers.incrementAndGet();
                return onHandOver.around(() -> feature.handOver(giver, heir));
            }
        };
    }

    /** A batch counts as the renewals in it. */
    private BatchRenewal tampered(BatchRenewal feature) {
        return new BatchRenewal() {
            @Override
            public List<RenewResult> renewAll(List<LockRequest> requests) {
                renews.addAndGet(requests.size());
                return onRenew.around(() -> feature.renewAll(requests));
            }
        };
    }

    private ReleaseSignals tampered(ReleaseSignals feature) {
        return new ReleaseSignals() {
            @Override
            public Subscription watch(LockName name, SignalListener listener, Duration answerWithin) {
                everListened.add(listener);
                Subscription real = onWatch.around(() -> feature.watch(name, tampered(listener), answerWithin));
                Subscription counted = new Subscription() {
                    @Override
                    public void close() {
                        listening.remove(this);
                        real.close();
                    }
                };
                listening.add(counted);
                return counted;
            }
        };
    }

    private ReleaseSignals.SignalListener tampered(ReleaseSignals.SignalListener listener) {
        return new ReleaseSignals.SignalListener() {
            @Override
            public void released() {
                onSignal.accept(listener::released);
            }

            @Override
            public void gap() {
                listener.gap();
            }
        };
    }

    @Override
    public void close() {
        backend.close();
    }
}
