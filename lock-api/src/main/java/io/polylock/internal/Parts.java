// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.spi.LockBackend;
import io.polylock.spi.LockClock;
import io.polylock.spi.ResendingClient;
import java.time.Duration;
import java.util.concurrent.Executor;

/** What the leases of one manager share. */
record Parts(
        LockBackend backend,
        LockClock clock,
        LockClock.Workers workers,
        Numbers numbers,
        Observers observers,
        Undo undo,
        Agenda agenda,
        Renewals renewals,
        Executor callbacks,
        Executor heads,
        Completions completions,
        Duration answerWithin) {

    static Parts of(LockBackend backend, LockClock clock, Numbers numbers, Duration answerWithin, Observers observers) {
        LockClock.Workers workers = clock.newWorkers("polylock");
        Agenda agenda = new Agenda(clock, workers);
        Renewer renewer = new Renewer(backend, clock, numbers, answerWithin);
        return new Parts(
                backend,
                clock,
                workers,
                numbers,
                observers,
                new Undo(backend, clock, workers, numbers, answerWithin, observers),
                agenda,
                new Renewals(clock, workers, agenda, numbers, renewer),
                new Callbacks(workers.lane("callback", numbers.callbackThreads()), agenda),
                new Callbacks(workers.lane("head", numbers.headThreads()), agenda),
                new Completions(new Callbacks(workers.lane("completion", numbers.callbackThreads()), agenda)),
                answerWithin);
    }

    /** Whether "not held" may be the echo of a release that succeeded. */
    boolean clientResends() {
        return backend.feature(ResendingClient.class).isPresent();
    }
}
