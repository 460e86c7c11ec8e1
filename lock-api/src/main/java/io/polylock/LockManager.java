// SPDX-License-Identifier: Apache-2.0
package io.polylock;

import io.polylock.internal.Discovery;
import io.polylock.internal.Engine;
import io.polylock.internal.LockOptions;
import io.polylock.spi.BackendFeature;
import io.polylock.spi.BackendUrl;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockName;
import java.util.Objects;
import java.util.Optional;

/**
 * The locks of one store. It renews what is held, undoes what is unknown, and tells of what is lost. An application opens
 * one per store and closes it at its end. Thread-safe.
 */
public final class LockManager implements AutoCloseable {

    private final Engine engine;

    LockManager(Engine engine) {
        this.engine = engine;
    }

    /**
     * A manager on the store that a URL names, through the backend module on the class path that knows its scheme. Checks its
     * arguments and does no I/O.
     *
     * @param url such as {@code redis://localhost:6379}
     * @throws IllegalArgumentException if no backend, or more than one, knows the scheme, or the URL is wrong; the message
     *     shows no password
     */
    public static LockManager open(String url) {
        return open(url, ManagerOptions.DEFAULTS);
    }

    /**
     * As {@link #open(String)}, with options.
     *
     * @param url such as {@code redis://localhost:6379}
     * @param options how to behave
     * @throws IllegalArgumentException as {@link #open(String)} does
     */
    public static LockManager open(String url, ManagerOptions options) {
        Objects.requireNonNull(options, "options");
        return of(Discovery.open(BackendUrl.parse(url)), options);
    }

    /**
     * A manager on a backend, which it closes at its end.
     *
     * @param backend such as one made of a client that the application has already
     */
    public static LockManager of(LockBackend backend) {
        return of(backend, ManagerOptions.DEFAULTS);
    }

    /**
     * As {@link #of(LockBackend)}, with options.
     *
     * @param backend such as one made of a client that the application has already
     * @param options how to behave
     */
    public static LockManager of(LockBackend backend, ManagerOptions options) {
        return new LockManager(new Engine(backend, options));
    }

    /**
     * A lock by its name, to be held for 30 s at a time and renewed.
     *
     * @param name 1 to 255 code points, not blank, well-formed, without control characters
     * @throws IllegalArgumentException if the name breaks a rule; the message says which
     */
    public DistributedLock lock(String name) {
        return new DistributedLock(engine, new LockName(name), LockOptions.DEFAULTS);
    }

    /**
     * What the store can do beyond locking, for the tools of operators.
     *
     * @param type such as {@link io.polylock.spi.Inspection}
     * @param <F> the feature
     * @return empty if the store cannot do it
     */
    public <F extends BackendFeature> Optional<F> feature(Class<F> type) {
        return engine.feature(type);
    }

    /**
     * Ends the manager in order: refuses new work, fails those who wait, lets holders finish for the close grace, then stops
     * renewing and marks the leases that are left as lost ({@link LossCause#CLOSED}); the store keeps those until their TTL
     * ends, so that no running work loses its protection to a successor. Closes the backend. An interrupt ends the grace and
     * is kept. Loss actions that still wait for others a second later are dropped, and so are events that still wait
     * for their listener a second after that. A second call does nothing.
     */
    @Override
    public void close() {
        engine.close();
    }
}
