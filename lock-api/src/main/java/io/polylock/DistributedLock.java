// SPDX-License-Identifier: Apache-2.0
package io.polylock;

import io.polylock.internal.Engine;
import io.polylock.internal.LockOptions;
import io.polylock.internal.LockOptions.Renewal;
import io.polylock.spi.LockName;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A named lock and how it is to be held. A value: it holds nothing, costs nothing, and need not be kept; what is held is the
 * {@link Lease}. Not reentrant: a second acquire waits, also on the same thread. Immutable.
 *
 * <p>By default the TTL is 30 s, renewed every third of that for as long as the lease is held and reachable.
 */
public final class DistributedLock {

    private final Engine engine;
    private final LockName name;
    private final LockOptions options;

    DistributedLock(Engine engine, LockName name, LockOptions options) {
        this.engine = engine;
        this.name = name;
        this.options = options;
    }

    /** The name. */
    public String name() {
        return name.value();
    }

    /**
     * The same lock with another TTL: how long the store keeps it if its holder dies.
     *
     * @param ttl 10 ms to 365 days; at least 300 ms unless {@link #withoutRenewal()}, which is checked when the lock is used
     * @throws IllegalArgumentException if it is out of range
     */
    public DistributedLock withTtl(Duration ttl) {
        return with(options.withTtl(ttl));
    }

    /** The same lock without renewal: a lease ends with its TTL, whatever its holder does. */
    public DistributedLock withoutRenewal() {
        return with(options.withRenewal(Renewal.NONE));
    }

    /**
     * The same lock with a ceiling: after this time a lease is lost with {@link LossCause#MAX_HOLD} and no longer renewed, so
     * that the store frees it at most one TTL later.
     *
     * @param longest positive; counted from the acquisition
     * @throws IllegalArgumentException if it is not positive
     */
    public DistributedLock withMaxHold(Duration longest) {
        return with(options.withMaxHold(longest));
    }

    /**
     * The same lock with a floor: a grant that took so long that less than this is left of it is given back, not handed out;
     * {@link #tryAcquire} then throws {@link LockBackendException}, and {@link #acquire} tries again within its wait.
     *
     * @param least not negative, at most the TTL minus drift (1 % and 2 ms), and at most the maximum hold, which is checked when
     *     the lock is used
     * @throws IllegalArgumentException if it is negative
     */
    public DistributedLock withMinValidity(Duration least) {
        return with(options.withMinValidity(least));
    }

    /**
     * Acquires, waiting for the lock to become free.
     *
     * @param wait how long to wait: not negative; zero means one attempt
     * @return the lease
     * @throws LockTimeoutException if another owner held the lock at the last look; no lease is held
     * @throws LockBackendException if the store did not answer until the wait was over, or refused at once; no lease is held,
     *     and what the store may have granted is being undone
     * @throws InterruptedException if the thread was interrupted; no lease is held
     * @throws IllegalArgumentException if the wait is negative, or TTL, renewal and minimum validity do not go together
     * @throws IllegalStateException if the manager is closed, also during the wait; no lease is held
     */
    public Lease acquire(Duration wait) throws InterruptedException {
        return engine.acquire(name, options, wait);
    }

    /**
     * Acquires as {@link #acquire} does, without a thread that waits. Whoever completes the future first, as {@code cancel} and
     * {@code orTimeout} do, gives up: what is granted then is released. A stage that is not asynchronous runs as the manager
     * completes the future: on a thread of the manager's, never on that of whoever released. It should not block, because few
     * threads complete the futures of all locks; those that are left when the manager closes are completed on the common pool.
     *
     * @param wait how long to wait: not negative; zero means one attempt
     * @return completes with the lease, or with what {@link #acquire} would throw, also if the manager is closed; no lease is
     *     held then
     * @throws IllegalArgumentException if the wait is negative, or TTL, renewal and minimum validity do not go together
     */
    public CompletableFuture<Lease> acquireAsync(Duration wait) {
        return engine.acquireAsync(name, options, wait);
    }

    /**
     * Asks the store once, without waiting for the lock to become free.
     *
     * @return the lease; empty if another owner holds the lock
     * @throws LockBackendException if the store did not answer, refused, or granted too late; no lease is held, and what the
     *     store may have granted is being undone
     * @throws InterruptedException if the thread was interrupted; no lease is held
     * @throws IllegalArgumentException if TTL, renewal and minimum validity do not go together
     * @throws IllegalStateException if the manager is closed; no lease is held
     */
    public Optional<Lease> tryAcquire() throws InterruptedException {
        return engine.tryAcquire(name, options);
    }

    /**
     * Acquires, does work that returns a value, and releases.
     *
     * @param wait how long to wait: not negative; zero means one attempt
     * @param body the work; does not run unless the lock is held
     * @param <T> what it returns
     * @param <E> what it throws
     * @return what the body returned
     * @throws E if the body threw it; the lock is released
     * @throws LeaseLostException if the lease was lost while the body ran; suppressed under an exception of the body
     * @throws LockTimeoutException as {@link #acquire} does; the body did not run
     * @throws LockBackendException as {@link #acquire} does; the body did not run
     * @throws InterruptedException as {@link #acquire} does; the body did not run
     * @throws IllegalArgumentException as {@link #acquire} does; the body did not run
     * @throws IllegalStateException as {@link #acquire} does; the body did not run
     */
    public <T, E extends Exception> T call(Duration wait, LockBody<T, E> body) throws E, InterruptedException {
        try (Lease lease = acquire(wait)) {
            return body.call(lease);
        }
    }

    /**
     * Acquires, does work that returns nothing, and releases.
     *
     * @param wait how long to wait: not negative; zero means one attempt
     * @param task the work; does not run unless the lock is held
     * @param <E> what it throws
     * @throws E if the task threw it; the lock is released
     * @throws LeaseLostException if the lease was lost while the task ran; suppressed under an exception of the task
     * @throws LockTimeoutException as {@link #acquire} does; the task did not run
     * @throws LockBackendException as {@link #acquire} does; the task did not run
     * @throws InterruptedException as {@link #acquire} does; the task did not run
     * @throws IllegalArgumentException as {@link #acquire} does; the task did not run
     * @throws IllegalStateException as {@link #acquire} does; the task did not run
     */
    public <E extends Exception> void run(Duration wait, LockTask<E> task) throws E, InterruptedException {
        try (Lease lease = acquire(wait)) {
            task.run(lease);
        }
    }

    @Override
    public String toString() {
        return "lock '" + name + "'";
    }

    private DistributedLock with(LockOptions changed) {
        return new DistributedLock(engine, name, changed);
    }
}
