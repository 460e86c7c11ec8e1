// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.memory.MemoryLockBackend;
import io.polylock.spi.Acquisition;
import io.polylock.spi.BackendFeature;
import io.polylock.spi.BatchRenewal;
import io.polylock.spi.Handover;
import io.polylock.spi.Inspection;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockClock;
import io.polylock.spi.LockRequest;
import io.polylock.spi.Ownership;
import io.polylock.spi.RenewResult;
import io.polylock.spi.ResendingClient;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;

/** A memory backend that writes down what it is asked, and lets a test script what happens to a request. */
final class Wire implements LockBackend {

    /** One request and when it was sent. */
    record Call(LockRequest request, long atNanos) {}

    final List<Call> acquires = new CopyOnWriteArrayList<>();
    final List<Call> renewals = new CopyOnWriteArrayList<>();
    final List<List<LockRequest>> batches = new CopyOnWriteArrayList<>();
    final List<Call> releases = new CopyOnWriteArrayList<>();
    final List<Call> handOvers = new CopyOnWriteArrayList<>();
    final AtomicInteger looks = new AtomicInteger();
    final AtomicInteger closings = new AtomicInteger();

    private final MemoryLockBackend store;
    private final LockClock clock;
    private final Set<Class<? extends BackendFeature>> missing;
    private volatile Function<Supplier<Acquisition>, Acquisition> acquiring = Supplier::get;
    private volatile Function<Supplier<Ownership>, Ownership> renewing = Supplier::get;
    private volatile Function<Supplier<Ownership>, Ownership> releasing = Supplier::get;
    private volatile Function<Supplier<Acquisition>, Acquisition> handingOver = Supplier::get;
    private volatile Function<Supplier<List<RenewResult>>, List<RenewResult>> renewingAll = Supplier::get;
    private volatile Runnable closing = () -> {};
    private volatile Runnable looking = () -> {};
    private volatile boolean resends;

    Wire(MemoryLockBackend store, LockClock clock) {
        this(store, clock, Set.of());
    }

    Wire(MemoryLockBackend store, LockClock clock, Set<Class<? extends BackendFeature>> missing) {
        this.store = store;
        this.clock = clock;
        this.missing = missing;
    }

    static LockBackendException noAnswer() {
        return new LockBackendException(Outcome.UNKNOWN, "no answer");
    }

    void onAcquire(Function<Supplier<Acquisition>, Acquisition> script) {
        acquiring = script;
    }

    void onRenew(Function<Supplier<Ownership>, Ownership> script) {
        renewing = script;
    }

    void onRenewAll(Function<Supplier<List<RenewResult>>, List<RenewResult>> script) {
        renewingAll = script;
    }

    void onRelease(Function<Supplier<Ownership>, Ownership> script) {
        releasing = script;
    }

    void onHandOver(Function<Supplier<Acquisition>, Acquisition> script) {
        handingOver = script;
    }

    void onClose(Runnable script) {
        closing = script;
    }

    void onInspect(Runnable script) {
        looking = script;
    }

    void resend() {
        resends = true;
    }

    @Override
    public Acquisition tryAcquire(LockRequest request) {
        acquires.add(new Call(request, clock.nanoTime()));
        return acquiring.apply(() -> store.tryAcquire(request));
    }

    @Override
    public Ownership renew(LockRequest request) {
        renewals.add(new Call(request, clock.nanoTime()));
        return renewing.apply(() -> store.renew(request));
    }

    @Override
    public Ownership release(LockRequest request) {
        releases.add(new Call(request, clock.nanoTime()));
        return releasing.apply(() -> store.release(request));
    }

    private List<RenewResult> renewAll(List<LockRequest> requests) {
        batches.add(requests);
        return renewingAll.apply(
                () -> store.feature(BatchRenewal.class).orElseThrow().renewAll(requests));
    }

    @Override
    public <F extends BackendFeature> Optional<F> feature(Class<F> type) {
        if (type == Inspection.class) {
            looks.incrementAndGet();
            looking.run();
        }
        if (type == ResendingClient.class && resends) {
            return Optional.of(type.cast(new ResendingClient() {}));
        }
        if (missing.contains(type)) {
            return Optional.empty();
        }
        if (type == BatchRenewal.class) {
            BatchRenewal batch = this::renewAll;
            return Optional.of(type.cast(batch));
        }
        return type == Handover.class
                ? store.feature(Handover.class).map(this::scripted).map(type::cast)
                : store.feature(type);
    }

    private Handover scripted(Handover real) {
        return (giver, heir) -> {
            handOvers.add(new Call(heir, clock.nanoTime()));
            return handingOver.apply(() -> real.handOver(giver, heir));
        };
    }

    @Override
    public void close() {
        closings.incrementAndGet();
        closing.run();
        store.close();
    }
}
