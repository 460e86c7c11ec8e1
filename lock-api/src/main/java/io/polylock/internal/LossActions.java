// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.LossCause;
import io.polylock.spi.LockName;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** What a holder wants to be done when its lease is lost. The actions in it are guarded by {@link ActiveLease}. */
final class LossActions {

    private final Executor callbacks;
    private final LockName name;
    private final List<Consumer<? super LossCause>> actions = new ArrayList<>();

    LossActions(Executor callbacks, LockName name) {
        this.callbacks = callbacks;
        this.name = name;
    }

    void add(Consumer<? super LossCause> action) {
        actions.add(action);
    }

    /** Nobody is to be told any more. */
    void clear() {
        actions.clear();
    }

    /** Takes all out; what it returns tells them, and is to be run without the monitor. */
    Runnable take(LossCause cause) {
        List<Consumer<? super LossCause>> taken = List.copyOf(actions);
        actions.clear();
        return () -> taken.forEach(action -> tell(action, cause));
    }

    /** Runs one on a thread for what belongs to the application. Thread-safe. */
    void tell(Consumer<? super LossCause> action, LossCause cause) {
        callbacks.execute(() -> {
            try {
                action.accept(cause);
            } catch (RuntimeException | Error e) {
                Log.quietly(Level.WARNING, () -> "a loss action of lock '" + name + "' failed", e);
            }
        });
    }
}
