// SPDX-License-Identifier: Apache-2.0
package io.polylock.explore;

import io.polylock.Lease;
import io.polylock.LockBackendException;
import io.polylock.LockTimeoutException;
import io.polylock.ManagerOptions;
import io.polylock.internal.Engine;
import io.polylock.internal.LockOptions;
import io.polylock.internal.Numbers;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockClock;
import io.polylock.spi.LockName;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** One manager in a scenario, with its own way to the store. What actors do with it is judged. */
final class Site {

    static final LockName NAME = new LockName("orders/42");
    static final Duration ANSWER_WITHIN = Duration.ofSeconds(2);
    static final Duration GRACE = Duration.ofSeconds(10);

    /** No jitter: a schedule must come out the same each time. */
    private static final Numbers NUMBERS = numbers(1_024, Optional.empty());

    static final LockOptions OPTIONS =
            LockOptions.DEFAULTS.withTtl(Duration.ofMinutes(10)).withRenewal(LockOptions.Renewal.NONE);

    static final LockOptions RENEWED = OPTIONS.withRenewal(LockOptions.Renewal.AUTOMATIC);

    private final Scene scene;
    private final Schedule schedule;
    private final String name;
    private final long territory;
    private final Engine engine;
    private final Courier courier;
    private boolean closing;
    private boolean closed;
    private long closingSince;
    private int calls;
    private long lastCallEnded;

    Site(Scene scene, Schedule schedule, String name, long territory, Courier courier, Make make) {
        this.scene = scene;
        this.schedule = schedule;
        this.name = name;
        this.territory = territory;
        this.courier = courier;
        LockClock clock = make.clock.apply(new ScheduleClock(schedule, name, territory));
        ManagerOptions options = ManagerOptions.DEFAULTS
                .withLabel(name)
                .withAnswerWithin(ANSWER_WITHIN)
                .withCloseGrace(GRACE)
                .withClock(clock);
        this.engine = new Engine(make.backend.apply(courier), options, make.numbers);
    }

    /** What a manager is made of; right unless a test wants to see what is found if it is wrong. */
    record Make(UnaryOperator<LockClock> clock, UnaryOperator<LockBackend> backend, Numbers numbers) {

        static final Make RIGHT = new Make(clock -> clock, backend -> backend, NUMBERS);

        Make withClock(UnaryOperator<LockClock> wrong) {
            return new Make(wrong, backend, numbers);
        }

        Make withBackend(UnaryOperator<LockBackend> wrong) {
            return new Make(clock, wrong, numbers);
        }

        /** With pauses so long that fewer things can happen while a request is astray. */
        Make withPauses(Duration each) {
            return new Make(clock, backend, Site.numbers(Numbers.DEFAULTS.undoCapacity(), Optional.of(each)));
        }

        Make withUndoCapacity(int capacity) {
            return new Make(clock, backend, Site.numbers(capacity, Optional.empty()));
        }
    }

    private static Numbers numbers(int undoCapacity, Optional<Duration> pause) {
        Numbers usual = Numbers.DEFAULTS;
        return new Numbers(
                usual.driftPermille(),
                usual.driftFixed(),
                usual.renewalsPerTtl(),
                0,
                usual.retriesPerTtl(),
                usual.retryCeiling(),
                pause.orElse(usual.firstPoll()),
                pause.orElse(usual.pollCeiling()),
                usual.safetyPoll(),
                0,
                pause.orElse(usual.undoBackoff()),
                pause.orElse(usual.undoCeiling()),
                undoCapacity,
                usual.longestRun(),
                usual.longestRunTime(),
                usual.sitOut(),
                usual.callbackThreads(),
                usual.headThreads(),
                usual.renewalThreads(),
                usual.renewalBatch(),
                usual.batchThreads());
    }

    Engine engine() {
        return engine;
    }

    boolean closing() {
        return closing;
    }

    /** A lease that is there when the schedule begins. */
    Hold held(LockOptions options) throws InterruptedException {
        return scene.keep(new Hold(this, engine.tryAcquire(NAME, options).orElseThrow()));
    }

    Optional<Hold> tryAcquire(LockOptions options) {
        return got("try", ANSWER_WITHIN.multipliedBy(2), () -> engine.tryAcquire(NAME, options));
    }

    Optional<Hold> acquire(LockOptions options, Duration wait) {
        Duration bound = wait.plus(ANSWER_WITHIN.multipliedBy(2));
        return got("acquire", bound, () -> Optional.of(engine.acquire(NAME, options, wait)));
    }

    /** Acquires a lock that becomes free at once: if nothing fails, no time may pass, or a wake-up was lost. */
    Optional<Hold> acquireAtOnce(LockOptions options, Duration wait) {
        return got(
                "acquire",
                () -> scene.trouble() ? wait.plus(ANSWER_WITHIN.multipliedBy(2)) : Duration.ZERO,
                () -> Optional.of(engine.acquire(NAME, options, wait)));
    }

    CompletableFuture<Lease> acquireAsync(LockOptions options, Duration wait) {
        return call("asynchronous acquire", Duration.ZERO, () -> engine.acquireAsync(NAME, options, wait));
    }

    /** Waits for a future without a bound of its own: it has one. */
    Optional<Hold> await(CompletableFuture<Lease> future) {
        Strand self = schedule.current();
        if (!future.isDone()) {
            CompletableFuture<Lease> unused = future.whenComplete((lease, failure) -> {
                if (lease != null && !schedule.current().name.startsWith(name + " completion")) {
                    schedule.object("a future was completed on " + schedule.current());
                }
                self.unblock();
            });
        }
        while (!future.isDone()) {
            schedule.block(List.of(Way.free("sees its future")));
        }
        schedule.touch(territory);
        return future.isCompletedExceptionally()
                ? Optional.empty()
                : Optional.of(scene.keep(new Hold(this, future.join())));
    }

    /** Closes the manager, as often as the scenario likes; the first one is judged. */
    void close() {
        call("close of the manager", GRACE.plus(ANSWER_WITHIN).plusSeconds(3), () -> {
            boolean first = !closing;
            closing = true;
            long start = schedule.now();
            closingSince = first ? start : closingSince;
            engine.close();
            if (first) {
                closed = true;
                judgeClose(start);
            }
            return true;
        });
    }

    /** Closing waits for what goes on, and no longer. */
    private void judgeClose(long start) {
        boolean allDone = calls == 1 && scene.holds().stream().allMatch(Hold::given);
        if (allDone && !scene.trouble() && schedule.slow() == 0 && schedule.now() > Math.max(start, lastCallEnded)) {
            schedule.object(name + " was closed later than it could be");
        }
    }

    boolean closed() {
        return closed;
    }

    String objection() {
        return courier.closed() ? "" : name + " is closed and its backend is not";
    }

    /** A release whose requests are all answered at once takes no time, or a wake-up was lost. */
    private Duration releaseBound() {
        return scene.trouble() ? ANSWER_WITHIN.multipliedBy(2) : Duration.ZERO;
    }

    <T> T releasing(String what, Callable<T> call) {
        return call(what, this::releaseBound, call);
    }

    private Optional<Hold> got(String what, Duration bound, Callable<Optional<Lease>> asking) {
        return got(what, () -> bound, asking);
    }

    private Optional<Hold> got(String what, Supplier<Duration> bound, Callable<Optional<Lease>> asking) {
        return call(what, bound, () -> {
            try {
                return asking.call().map(lease -> scene.keep(new Hold(this, lease)));
            } catch (LockTimeoutException e) {
                return Optional.empty();
            } catch (LockBackendException e) {
                requireReason(scene.trouble() || schedule.slow() > 0, e);
                return Optional.empty();
            } catch (IllegalStateException e) {
                requireReason(closing, e);
                boolean atOnce = schedule.now() == closingSince;
                requireReason(atOnce || scene.trouble() || schedule.slow() > 0, e);
                return Optional.empty();
            } catch (InterruptedException e) {
                requireReason(scene.interrupted(schedule.current().name), e);
                return Optional.empty();
            }
        });
    }

    private void requireReason(boolean reason, Exception failure) {
        if (!reason) {
            schedule.object("a call failed for no reason: " + failure);
        }
    }

    private <T> T call(String what, Duration bound, Callable<T> call) {
        return call(what, () -> bound, call);
    }

    /** A call of an actor: others may go on before it. If nobody was slow, it returns in time. */
    private <T> T call(String what, Supplier<Duration> bound, Callable<T> call) {
        schedule.point(Schedule.Point.WAITS, List.of(Way.free("calls " + name + ": " + what)));
        schedule.touch(territory);
        long start = schedule.now();
        calls++;
        try {
            T result = call.call();
            lastCallEnded = schedule.now();
            long took = schedule.now() - start;
            if (schedule.slow() == 0 && took > bound.get().toNanos()) {
                schedule.object(what + " took " + Duration.ofNanos(took) + " and not at most " + bound.get());
            }
            return result;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(what, e);
        } finally {
            calls--;
        }
    }
}
