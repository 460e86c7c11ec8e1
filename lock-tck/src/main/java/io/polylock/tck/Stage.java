// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import io.polylock.DistributedLock;
import io.polylock.LockListener;
import io.polylock.LockManager;
import io.polylock.ManagerOptions;
import io.polylock.memory.VirtualClock;
import io.polylock.spi.Acquisition;
import io.polylock.spi.BackendFeature;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockClock;
import io.polylock.spi.LockName;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/**
 * What one rule's test works with: clients of the store under test, managers, lock names that nobody else uses, threads, and
 * time, real or virtual. All of it is closed when the test ends.
 */
final class Stage {

    /** The TTL of rules that look at expiry. */
    static final Duration TTL = Duration.ofMillis(500);

    /** The TTL of rules that rely on renewal: long enough that a busy machine renews in time. */
    static final Duration RENEWED_TTL = Duration.ofMillis(1_200);

    /** A TTL that no rule waits for. */
    static final Duration LONG_TTL = Duration.ofSeconds(60);

    /** How long anything that should happen at once may take on a busy machine. */
    static final Duration SOON = Duration.ofSeconds(10);

    /** The same where a safety poll, which comes after 4 s at the earliest, must not be what helps. */
    static final Duration PROMPT = Duration.ofSeconds(3);

    private static final int ROUNDS_IF_LATE = 8;

    private final @Nullable LockBackendTck kit;
    private final LockClock clock;
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    Stage(LockBackendTck kit) {
        this.kit = kit;
        this.clock = kit.clock() instanceof VirtualClock virtual ? virtual : new ShiftedClock(kit.clock());
    }

    private Stage() {
        this.kit = null;
        this.clock = LockClock.system();
    }

    /** What is there between two tests. */
    static Stage empty() {
        return new Stage();
    }

    private LockBackendTck kit() {
        if (kit == null) {
            throw new IllegalStateException("no test is running");
        }
        return kit;
    }

    LockBackend backend() {
        return closing(kit().createBackend());
    }

    LockBackend unreachableBackend() {
        return closing(kit().createUnreachableBackend().orElseThrow(() -> notVerified("an unreachable store")));
    }

    Tampered tampered() {
        return tampered(Set.of());
    }

    /** A client that is tampered with, of a store that cannot do some of what it can. */
    Tampered tampered(Set<Class<? extends BackendFeature>> missing) {
        return new Tampered(backend(), missing);
    }

    LockManager manager() {
        return manager(kit().createBackend());
    }

    LockManager manager(LockBackend backend) {
        return manager(backend, UnaryOperator.identity());
    }

    LockManager manager(LockBackend backend, LockListener listener) {
        return manager(backend, options -> options.withListener(listener));
    }

    LockManager manager(LockBackend backend, UnaryOperator<ManagerOptions> change) {
        ManagerOptions options = ManagerOptions.DEFAULTS
                .withClock(clock)
                .withCloseGrace(Duration.ZERO)
                .withLabel("kit");
        return closing(kit().createManager(backend, change.apply(options)));
    }

    String name() {
        return "tck/" + UUID.randomUUID();
    }

    /** A new attempt at a lock. */
    LockRequest request(String name, Duration ttl) {
        return new LockRequest(new LockName(name), OwnerToken.random(), "kit", ttl, Duration.ofSeconds(2));
    }

    /** A lock that ends with its TTL. */
    DistributedLock fixed(LockManager manager, String name, Duration ttl) {
        return manager.lock(name).withTtl(ttl).withoutRenewal();
    }

    <F extends BackendFeature> F feature(LockBackend backend, Class<F> type) {
        return backend.feature(type)
                .orElseThrow(() -> new TestAbortedException("feature absent: " + type.getSimpleName()));
    }

    void restartStoreEmpty() {
        require(kit().faults().restartEmpty(), "a store that restarts empty");
    }

    void moveStoreClock(Duration offset) {
        require(kit().faults().moveClock(offset), "a store whose clock jumps");
    }

    void hangStore() {
        require(kit().faults().hang(), "a store that hangs");
    }

    void resumeStore() {
        require(kit().faults().resume(), "a store that goes on");
    }

    void moveWallClock(Duration offset) {
        if (clock instanceof VirtualClock virtual) {
            virtual.moveWallClock(offset);
        } else if (clock instanceof ShiftedClock shifted) {
            shifted.moveWallClock(offset);
        }
    }

    /** Moves also the wall clock that a backend may read. */
    void moveEveryWallClock(Duration offset) {
        if (!(clock instanceof VirtualClock)) {
            throw notVerified("a backend whose wall clock jumps");
        }
        moveWallClock(offset);
    }

    private static void require(StoreFaults.Done done, String what) {
        if (done == StoreFaults.Done.CANNOT) {
            throw notVerified(what);
        }
    }

    private static TestAbortedException notVerified(String what) {
        return new TestAbortedException("not verified: the harness does not offer " + what);
    }

    /** Whether time passes only when the test says so, so that counts and times are exact. */
    boolean timeIsVirtual() {
        return clock instanceof VirtualClock;
    }

    long nanos() {
        return clock.nanoTime();
    }

    Duration since(long startNanos) {
        return Duration.ofNanos(clock.nanoTime() - startNanos);
    }

    /** Lets time pass. */
    void elapse(Duration duration) {
        if (duration.isNegative()) {
            return;
        }
        try {
            if (clock instanceof VirtualClock virtual) {
                virtual.pass(duration);
            } else {
                clock.newPause().await(duration);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A thread that does one thing. */
    record Worker<T>(Thread thread, CompletableFuture<T> result) {}

    <T> Worker<T> fork(Callable<T> work) {
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        Callable<T> announced = () -> {
            thread.complete(Thread.currentThread());
            return work.call();
        };
        CompletableFuture<T> result =
                clock instanceof VirtualClock virtual ? virtual.fork(announced) : start(announced);
        return new Worker<>(thread.join(), result);
    }

    private static <T> CompletableFuture<T> start(Callable<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        result.complete(work.call());
                    } catch (Throwable failure) {
                        result.completeExceptionally(failure);
                    }
                },
                "tck-worker");
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    <T> T join(Worker<T> worker, Duration bound) {
        return join(worker.result, bound);
    }

    <T> T join(CompletableFuture<T> future, Duration bound) {
        try {
            return outcome(future, bound);
        } catch (ExecutionException e) {
            throw new AssertionError("a worker failed: " + e.getCause(), e.getCause());
        }
    }

    /** How a worker failed. */
    Throwable failure(Worker<?> worker, Duration bound) {
        return failure(worker.result, bound);
    }

    Throwable failure(CompletableFuture<?> future, Duration bound) {
        try {
            Object result = outcome(future, bound);
            throw new AssertionFailedError("the worker should have failed but returned " + result);
        } catch (ExecutionException e) {
            return e.getCause() == null ? e : e.getCause();
        }
    }

    private <T> T outcome(CompletableFuture<T> future, Duration bound) throws ExecutionException {
        try {
            return clock instanceof VirtualClock virtual
                    ? virtual.join(future, bound)
                    : future.get(bound.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("a worker was not done within " + bound, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("the test was interrupted", e);
        }
    }

    void interrupt(Worker<?> worker) {
        if (clock instanceof VirtualClock virtual) {
            virtual.interrupt(worker.thread);
        } else {
            worker.thread.interrupt();
        }
    }

    /** Whether something comes true within a bound; time passes meanwhile. */
    boolean within(Duration bound, BooleanSupplier condition) {
        long start = nanos();
        Duration step = Duration.ofMillis(5);
        while (!condition.getAsBoolean()) {
            if (since(start).compareTo(bound) > 0) {
                return false;
            }
            elapse(step);
        }
        return true;
    }

    void eventually(String claim, Duration bound, BooleanSupplier condition) {
        if (!within(bound, condition)) {
            throw new AssertionFailedError(claim + ": not within " + bound);
        }
    }

    /** Thrown when the machine was too slow for a look to mean anything. */
    static final class TooLate extends RuntimeException {

        private static final long serialVersionUID = 1L;

        TooLate(Duration took) {
            super("the machine was too slow: " + took);
        }
    }

    /** Part of a rule that must be over before a TTL is. */
    interface Timely {
        void run() throws Exception;
    }

    /** Repeats a part that came too late to mean anything; fails if the machine never was fast enough. */
    void timely(Timely part) throws Exception {
        TooLate last = new TooLate(Duration.ZERO);
        for (int round = 0; round < ROUNDS_IF_LATE; round++) {
            try {
                part.run();
                return;
            } catch (TooLate late) {
                last = late;
            }
        }
        throw last;
    }

    /** To be called after a look and before judging it. */
    void notLater(long startNanos, Duration latest) {
        Duration took = since(startNanos);
        if (took.compareTo(latest) > 0) {
            throw new TooLate(took);
        }
    }

    boolean isFree(LockBackend backend, String name) {
        LockRequest probe = request(name, LONG_TTL);
        if (backend.tryAcquire(probe) instanceof Acquisition.Granted) {
            backend.release(probe);
            return true;
        }
        return false;
    }

    private <C extends AutoCloseable> C closing(C closeable) {
        open.addFirst(closeable);
        return closeable;
    }

    /** What has to wait for others while it ends must not stop the clock that they wait for. */
    private void end(AutoCloseable closeable) throws Exception {
        if (timeIsVirtual() && closeable instanceof LockManager) {
            join(
                    fork(() -> {
                        closeable.close();
                        return closeable;
                    }),
                    Duration.ofMinutes(1));
        } else {
            closeable.close();
        }
    }

    void close() {
        AssertionError failure = null;
        for (AutoCloseable closeable : open) {
            try {
                end(closeable);
            } catch (Exception | AssertionError e) {
                failure = new AssertionError("closing " + closeable + " failed", e);
            }
        }
        open.clear();
        if (failure != null) {
            throw failure;
        }
    }
}
