// SPDX-License-Identifier: Apache-2.0
package io.polylock.spi;

import io.polylock.LockBackendException;
import java.time.Duration;

/**
 * Hints that a lock may have become free. A hint may be lost, late, doubled or false: correctness never rests on it, and the
 * engine polls slowly all the same. Thread-safe. A store that can should wake one waiting client per release, not all: another one than the
 * client that released, as long as there is one, because that one leaves the lock to others for a moment.
 */
public non-sealed interface ReleaseSignals extends BackendFeature {

    /**
     * Starts listening for one lock. Returns once the store has confirmed that it will signal: a release after that is
     * signalled. Whoever was signalled to asks for the lock; only then need a further release be signalled to it.
     *
     * @param name which lock
     * @param listener told of releases and gaps, on a thread of the backend; must return quickly and not throw
     * @param answerWithin the bound for the confirmation: positive
     * @return ends the listening when closed, without waiting for the store
     * @throws LockBackendException if there was no confirmation in time; nothing is left behind. After REFUSED the engine does
     *     not ask again for those who wait now
     */
    Subscription watch(LockName name, SignalListener listener, Duration answerWithin);

    /** A listening that is going on. */
    interface Subscription extends AutoCloseable {

        /** Ends it. A second call does nothing. */
        @Override
        void close();
    }

    /** Hears of one lock. */
    interface SignalListener {

        /** The lock may be free now. */
        void released();

        /** The connection was broken for a while and is back: signals may have been missed. */
        void gap();
    }
}
