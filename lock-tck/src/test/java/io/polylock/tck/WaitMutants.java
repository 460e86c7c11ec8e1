// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import static io.polylock.tck.EngineMutants.above;
import static io.polylock.tck.Mutant.ofEngine;

import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.LockManager;
import io.polylock.WrongManagers;
import io.polylock.internal.Numbers;
import io.polylock.internal.WrongEngines;
import io.polylock.spi.Acquisition;
import io.polylock.spi.BackendFeature;
import io.polylock.spi.Handover;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockClock;
import io.polylock.spi.LockName;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import io.polylock.spi.Ownership;
import io.polylock.spi.ReleaseSignals;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;

/** Engines that wait, or pass a lock on, wrongly. */
final class WaitMutants {

    private static final Duration LONG = Duration.ofHours(1);

    private WaitMutants() {}

    static List<Mutant> all() {
        return List.of(
                above("M60", "one lost race ends a wait", "WAI-5", backend -> new Signals(backend) {
                    private final Set<LockName> signalled = ConcurrentHashMap.newKeySet();

                    @Override
                    void released(LockName name, Runnable waiter) {
                        signalled.add(name);
                        waiter.run();
                    }

                    @Override
                    public Acquisition tryAcquire(LockRequest request) {
                        Acquisition answer = super.tryAcquire(request);
                        if (answer instanceof Acquisition.Contended && signalled.remove(request.name())) {
                            throw new LockBackendException(Outcome.REFUSED, "somebody else was faster");
                        }
                        return answer;
                    }
                }),
                above("M58", "nobody asks again after the listening began", "WAI-10", backend -> new Signals(backend) {
                    private final Set<LockName> watched = ConcurrentHashMap.newKeySet();

                    @Override
                    Subscription watch(LockName name, Supplier<Subscription> correct) {
                        Subscription subscription = correct.get();
                        watched.add(name);
                        return subscription;
                    }

                    @Override
                    public Acquisition tryAcquire(LockRequest request) {
                        return watched.remove(request.name())
                                ? new Acquisition.Contended(Optional.empty())
                                : super.tryAcquire(request);
                    }
                }),
                above("W02", "signals reach nobody", "WAI-2", backend -> new Signals(backend) {
                    @Override
                    void released(LockName name, Runnable waiter) {}
                }),
                withNumbers("M59", "no safety poll", "WAI-3", () -> WrongNumbers.safetyPolls(LONG)),
                above("F075", "when the holder's TTL ends is ignored", "WAI-4", backend -> new Wrong(backend) {
                    @Override
                    public Acquisition tryAcquire(LockRequest request) {
                        return super.tryAcquire(request) instanceof Acquisition.Granted granted
                                ? granted
                                : new Acquisition.Contended(Optional.empty());
                    }
                }),
                ofEngine(
                        "W01",
                        "the last one in line is served first",
                        "WAI-1",
                        (backend, options, lab) ->
                                WrongManagers.of(WrongEngines.servingTheLastFirst(backend, options))),
                pausing("F078", "the deadline of one in line is forgotten", "WAI-6", WaitMutants::forgetful),
                pausing("E03", "a wait behind others never ends", "EXC-3", WaitMutants::forgetful),
                pausing("F085", "whoever stands next is not woken", "WAI-7", pause -> new WrongClock.WrongPause(pause) {
                    @Override
                    public void wake() {}
                }),
                above("M71", "everybody in a crowd asks", "WAI-8", backend -> new Wrong(backend) {
                    @Override
                    public Acquisition tryAcquire(LockRequest request) {
                        Acquisition answer = super.tryAcquire(request);
                        for (int i = 0; i < 29 && answer instanceof Acquisition.Contended; i++) {
                            LockRequest other = withOwner(request, OwnerToken.random());
                            if (super.tryAcquire(other) instanceof Acquisition.Granted) {
                                super.release(other);
                            }
                        }
                        return answer;
                    }
                }),
                above("M62", "a wait of zero believes what the line knows", "WAI-9", backend -> new Wrong(backend) {
                    private final Set<LockName> refused = ConcurrentHashMap.newKeySet();

                    @Override
                    public Acquisition tryAcquire(LockRequest request) {
                        if (refused.contains(request.name())) {
                            return new Acquisition.Contended(Optional.empty());
                        }
                        Acquisition answer = super.tryAcquire(request);
                        if (answer instanceof Acquisition.Contended) {
                            refused.add(request.name());
                        }
                        return answer;
                    }
                }),
                ofEngine(
                        "M63",
                        "a wait of zero is a pause and a second try",
                        "ACQ-6",
                        (backend, options, lab) -> LockManager.of(
                                new Wrong(backend) {
                                    @Override
                                    public Acquisition tryAcquire(LockRequest request) {
                                        Acquisition answer = super.tryAcquire(request);
                                        if (answer instanceof Acquisition.Contended) {
                                            lab.pass(Duration.ofMillis(10));
                                            return super.tryAcquire(request);
                                        }
                                        return answer;
                                    }
                                },
                                options)),
                above("M72", "the listening outlives its waiters", "WAI-11", backend -> new Signals(backend) {
                    private final Set<Subscription> kept = ConcurrentHashMap.newKeySet();

                    @Override
                    Subscription watch(LockName name, Supplier<Subscription> correct) {
                        kept.add(correct.get());
                        return () -> {};
                    }
                }),
                ofEngine("M66", "the wait starts again with every wake-up", "WAI-12", (backend, options, lab) -> {
                    WakingClock clock = new WakingClock(options.clock());
                    return LockManager.of(backend, options.withClock(clock));
                }),
                withNumbers(
                        "W13",
                        "the store is polled for a lock of one's own",
                        "WAI-13",
                        () -> WrongNumbers.safetyPolls(Duration.ofMillis(100))),
                withNumbers("M73", "no jitter", "WAI-14", () -> WrongNumbers.pollJitter(0)),
                ofEngine(
                        "M61",
                        "the deadline of a wait never comes",
                        "FLT-11",
                        (backend, options, lab) ->
                                LockManager.of(backend, options.withClock(new WrongClock(options.clock()) {
                                    @Override
                                    public long nanoTime() {
                                        return 0;
                                    }
                                }))),
                ofEngine(
                        "M64",
                        "the end of a long wait overflows",
                        "ACQ-9",
                        // the first manager is the holder's
                        (backend, options, lab) -> lab.shared.putIfAbsent("holder", true) == null
                                ? LockManager.of(backend, options)
                                : LockManager.of(backend, options.withClock(new WrongClock(options.clock()) {
                                    private final long start = correct.nanoTime();

                                    @Override
                                    public long nanoTime() {
                                        long now = correct.nanoTime();
                                        return now - start
                                                        < Duration.ofMillis(50).toNanos()
                                                ? now
                                                : now + Long.MAX_VALUE;
                                    }
                                }))),
                ofEngine(
                        "W08",
                        "a wait ends at half its time",
                        "ACQ-8",
                        (backend, options, lab) ->
                                LockManager.of(backend, options.withClock(new WrongClock(options.clock()) {
                                    @Override
                                    public long nanoTime() {
                                        return 2 * correct.nanoTime();
                                    }
                                }))),
                ofEngine(
                        "M67",
                        "a wait is no longer than the TTL",
                        "ACQ-10",
                        (backend, options, lab) -> LockManager.of(
                                new Wrong(backend) {
                                    private final AtomicLong first = new AtomicLong(Long.MAX_VALUE);

                                    @Override
                                    public Acquisition tryAcquire(LockRequest request) {
                                        first.accumulateAndGet(lab.clock.nanoTime(), Math::min);
                                        if (lab.clock.nanoTime() - first.get()
                                                > request.ttl().toNanos()) {
                                            throw new LockBackendException(Outcome.REFUSED, "the TTL is over");
                                        }
                                        return super.tryAcquire(request);
                                    }
                                },
                                options)),
                ofEngine(
                        "W04",
                        "a release does not look who waits in the same manager",
                        "HND-4",
                        (backend, options, lab) ->
                                LockManager.of(Wrong.without(backend, List.of(Handover.class)), options)),
                withNumbers(
                        "F084", "a lock is handed over without end", "HND-5", () -> WrongNumbers.runs(1_000_000, LONG)),
                handing("W06", "what an heir that has gone inherits is kept", "HND-6", Forgotten.HEIRS),
                handing("W07", "a hand-over without an answer is not undone", "HND-7", Forgotten.UNANSWERED));
    }

    private static Mutant withNumbers(String id, String defect, String rule, Supplier<Numbers> numbers) {
        return ofEngine(
                id, defect, rule, (backend, options, lab) -> WrongManagers.with(backend, options, numbers.get()));
    }

    private static Mutant pausing(
            String id, String defect, String rule, Function<LockClock.Pause, LockClock.Pause> wrong) {
        return ofEngine(
                id,
                defect,
                rule,
                (backend, options, lab) -> LockManager.of(backend, options.withClock(new WrongClock(options.clock()) {
                    @Override
                    public Pause newPause() {
                        return wrong.apply(correct.newPause());
                    }
                })));
    }

    /** Only a wake-up ends it. */
    private static LockClock.Pause forgetful(LockClock.Pause pause) {
        return new WrongClock.WrongPause(pause) {
            @Override
            public void await(Duration longest) throws InterruptedException {
                super.await(LONG);
            }
        };
    }

    /** A clock that every wake-up sets back to where the wait began. */
    private static final class WakingClock extends WrongClock {

        private final AtomicLong hidden = new AtomicLong();
        private final AtomicLong last = new AtomicLong();

        WakingClock(LockClock correct) {
            super(correct);
            last.set(correct.nanoTime());
        }

        @Override
        public long nanoTime() {
            return correct.nanoTime() - hidden.get();
        }

        @Override
        public Pause newPause() {
            return new WrongPause(correct.newPause()) {
                @Override
                public void wake() {
                    long now = WakingClock.this.correct.nanoTime();
                    hidden.addAndGet(now - last.getAndSet(now));
                    super.wake();
                }
            };
        }
    }

    /** A backend whose signals go wrong. */
    abstract static class Signals extends Wrong {

        /** A listening. */
        interface Subscription extends ReleaseSignals.Subscription {}

        Signals(LockBackend correct) {
            super(correct);
        }

        Subscription watch(LockName name, Supplier<Subscription> correct) {
            return correct.get();
        }

        void released(LockName name, Runnable waiter) {
            waiter.run();
        }

        @Override
        public <F extends BackendFeature> Optional<F> feature(Class<F> type) {
            return super.feature(type)
                    .map(feature ->
                            type == ReleaseSignals.class ? type.cast(wrong((ReleaseSignals) feature)) : feature);
        }

        private ReleaseSignals wrong(ReleaseSignals signals) {
            return new ReleaseSignals() {
                @Override
                public ReleaseSignals.Subscription watch(
                        LockName name, SignalListener listener, Duration answerWithin) {
                    SignalListener told = new SignalListener() {
                        @Override
                        public void released() {
                            Signals.this.released(name, listener::released);
                        }

                        @Override
                        public void gap() {
                            listener.gap();
                        }
                    };
                    return Signals.this.watch(name, () -> signals.watch(name, told, answerWithin)::close);
                }
            };
        }
    }

    /** Whose releases are forgotten. */
    private enum Forgotten {
        HEIRS,
        UNANSWERED
    }

    private static Mutant handing(String id, String defect, String rule, Forgotten forgotten) {
        return ofEngine(
                id, defect, rule, (backend, options, lab) -> LockManager.of(new Handing(backend, forgotten), options));
    }

    /** Forgets to release what hand-overs left. */
    private static final class Handing extends Wrong {

        private final Forgotten forgotten;
        private final Map<OwnerToken, Boolean> left = new ConcurrentHashMap<>();

        Handing(LockBackend correct, Forgotten forgotten) {
            super(correct);
            this.forgotten = forgotten;
        }

        @Override
        public Ownership release(LockRequest request) {
            return left.containsKey(request.owner()) ? Ownership.HELD : super.release(request);
        }

        @Override
        public <F extends BackendFeature> Optional<F> feature(Class<F> type) {
            return super.feature(type)
                    .map(feature -> type == Handover.class ? type.cast(wrong((Handover) feature)) : feature);
        }

        private Handover wrong(Handover correct) {
            return new Handover() {
                @Override
                public Acquisition handOver(OwnerToken giver, LockRequest heir) {
                    if (forgotten == Forgotten.HEIRS) {
                        left.put(heir.owner(), true);
                    }
                    try {
                        return correct.handOver(giver, heir);
                    } catch (LockBackendException e) {
                        left.put(giver, true);
                        left.put(heir.owner(), true);
                        throw e;
                    }
                }
            };
        }
    }
}
