// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.DistributedLock;
import io.polylock.Lease;
import io.polylock.LockListener;
import io.polylock.LockManager;
import io.polylock.ManagerOptions;
import io.polylock.memory.MemoryLockBackend;
import io.polylock.memory.MemoryStore;
import io.polylock.memory.VirtualClock;
import io.polylock.spi.Acquisition;
import io.polylock.spi.BackendFeature;
import io.polylock.spi.Holder;
import io.polylock.spi.Inspection;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockClock;
import io.polylock.spi.LockName;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** A manager, a memory store and virtual time, with a wire between them that a test can disturb. */
final class Rig implements AutoCloseable {

    static final String NAME = "orders/42";
    static final Duration TTL = Duration.ofSeconds(30);
    static final Duration VALIDITY = Duration.ofMillis(29_698);
    static final Duration TIMEOUT = Duration.ofSeconds(2);
    static final Duration GRACE = Duration.ofSeconds(10);

    final VirtualClock clock = new VirtualClock();
    final MemoryStore store = MemoryStore.on(clock);
    final MemoryLockBackend other = MemoryLockBackend.of(store);
    final Wire wire;
    final LockManager manager;
    final DistributedLock lock;

    /** A lease that a test forgets must not look abandoned. */
    private final List<Lease> kept = new ArrayList<>();

    Rig(LockListener... listeners) {
        this(clock -> clock, listeners);
    }

    /** On a store that lacks features. */
    Rig(Set<Class<? extends BackendFeature>> missing) {
        this(clock -> clock, missing);
    }

    static Rig without(Class<? extends BackendFeature> missing) {
        return new Rig(Set.of(missing));
    }

    /** With a clock for the engine that is made from the virtual one. */
    Rig(Function<VirtualClock, LockClock> engineClock, LockListener... listeners) {
        this(engineClock, Set.of(), listeners);
    }

    private Rig(
            Function<VirtualClock, LockClock> engineClock,
            Set<Class<? extends BackendFeature>> missing,
            LockListener... listeners) {
        wire = new Wire(MemoryLockBackend.of(store), clock, missing);
        manager = LockManager.of(
                wire, new ManagerOptions("me", TIMEOUT, GRACE, engineClock.apply(clock), List.of(listeners)));
        lock = manager.lock(NAME);
    }

    static Parts parts(LockBackend backend, LockClock clock) {
        return Parts.of(backend, clock, Numbers.DEFAULTS, TIMEOUT, Observers.of(List.of(), clock));
    }

    static Succession succession(Parts parts) {
        Roll roll = new Roll(parts.clock());
        Lines lines = new Lines(parts.clock(), Numbers.DEFAULTS, false);
        return new Succession(parts, roll, lines, new Grants(parts, roll, lines));
    }

    /** A request of somebody else for the lock. */
    static LockRequest foreign(Duration ttl) {
        return new LockRequest(new LockName(NAME), OwnerToken.random(), "somebody else", ttl, TIMEOUT);
    }

    /** Lets somebody else take the lock. */
    LockRequest takenByAnother(Duration ttl) {
        LockRequest request = foreign(ttl);
        if (other.tryAcquire(request) instanceof Acquisition.Contended) {
            throw new IllegalStateException("the lock is taken");
        }
        return request;
    }

    Optional<Holder> holder() {
        return other.feature(Inspection.class).orElseThrow().inspect(new LockName(NAME), TIMEOUT);
    }

    /** Acquires on the thread of the test. */
    Lease held() {
        return held(lock);
    }

    Lease held(DistributedLock which) {
        try {
            Lease lease = which.tryAcquire().orElseThrow();
            kept.add(lease);
            return lease;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Does work on a thread that may wait in virtual time. */
    <T> T run(Callable<T> work) throws ExecutionException, TimeoutException {
        return clock.join(clock.fork(work), Duration.ofDays(30));
    }

    /** What work on a thread of its own ends with. */
    Throwable failureOf(Callable<?> work) throws TimeoutException {
        try {
            run(work);
        } catch (ExecutionException e) {
            return Objects.requireNonNull(e.getCause());
        }
        throw new AssertionError("nothing was thrown");
    }

    /** Blocks a request in virtual time; an interrupt ends it as it ends the request of a real client. */
    void hang(Duration howLong) {
        try {
            clock.newPause().await(howLong);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Wire.noAnswer();
        }
    }

    @Override
    public void close() {
        try {
            run(() -> {
                manager.close();
                return true;
            });
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }
}
