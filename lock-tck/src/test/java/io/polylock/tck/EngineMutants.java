// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import static io.polylock.tck.Mutant.ofEngine;

import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.LockManager;
import io.polylock.WrongManagers;
import io.polylock.spi.Acquisition;
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
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;

/** Engines with a defect: seeded between the engine and its backend, in its numbers, or in its clock. */
final class EngineMutants {

    private EngineMutants() {}

    static List<Mutant> all() {
        return List.of(
                above("M15", "a failure counts as acquired", "FLT-1", backend -> new Wrong(backend) {
                    @Override
                    public Acquisition tryAcquire(LockRequest request) {
                        try {
                            return super.tryAcquire(request);
                        } catch (LockBackendException e) {
                            return new Acquisition.Granted(OptionalLong.of(1));
                        }
                    }
                }),
                above("M16", "a failure counts as contended", "FLT-1", backend -> new Wrong(backend) {
                    @Override
                    public Acquisition tryAcquire(LockRequest request) {
                        try {
                            return super.tryAcquire(request);
                        } catch (LockBackendException e) {
                            return new Acquisition.Contended(Optional.empty());
                        }
                    }
                }),
                above("M17", "an unknown outcome is not undone", "FLT-2", backend -> new Undoing(backend) {
                    @Override
                    Ownership undo(LockRequest request, int times) {
                        return Ownership.ABSENT;
                    }
                }),
                above("M18", "an unknown outcome is undone once", "FLT-4", backend -> new Undoing(backend) {
                    @Override
                    Ownership undo(LockRequest request, int times) {
                        return times == 1 ? correct.release(request) : Ownership.ABSENT;
                    }
                }),
                above("M19", "an undo ignores the owner", "FLT-5", backend -> new Undoing(backend) {
                    @Override
                    Ownership undo(LockRequest request, int times) {
                        correct.release(request);
                        return deleteBlindly(request);
                    }
                }),
                above("F022", "an unknown outcome is reported as certain", "FLT-2", backend -> new Wrong(backend) {
                    @Override
                    public Acquisition tryAcquire(LockRequest request) {
                        try {
                            return super.tryAcquire(request);
                        } catch (LockBackendException e) {
                            throw new LockBackendException(Outcome.NOT_APPLIED, "certainly not", e);
                        }
                    }
                }),
                above("F008", "a failed release is reported as done", "FLT-6", backend -> new Wrong(backend) {
                    @Override
                    public Ownership release(LockRequest request) {
                        try {
                            return super.release(request);
                        } catch (LockBackendException e) {
                            return Ownership.HELD;
                        }
                    }
                }),
                above("M70", "an interrupt during the grant is swallowed", "FLT-8", backend -> new Wrong(backend) {
                    @Override
                    public Acquisition tryAcquire(LockRequest request) {
                        Acquisition answer = super.tryAcquire(request);
                        swallowInterrupt();
                        return answer;
                    }
                }),
                above("M49", "the first failure ends renewal", "LOS-3", backend -> new Wrong(backend) {
                    private final AtomicBoolean dead = new AtomicBoolean();

                    @Override
                    public Ownership renew(LockRequest request) {
                        if (dead.get()) {
                            return Ownership.HELD;
                        }
                        try {
                            return super.renew(request);
                        } catch (RuntimeException e) {
                            dead.set(true);
                            throw e;
                        }
                    }
                }),
                above(
                        "M53",
                        "a renewal that is answered late leaves its record",
                        "LOS-9",
                        backend -> new Wrong(backend) {
                            private final Map<OwnerToken, Boolean> renewed = new ConcurrentHashMap<>();

                            @Override
                            public Ownership renew(LockRequest request) {
                                renewed.put(request.owner(), true);
                                return super.renew(request);
                            }

                            @Override
                            public Ownership release(LockRequest request) {
                                return renewed.containsKey(request.owner()) ? Ownership.ABSENT : super.release(request);
                            }
                        }),
                above("E01", "whoever shares the manager is let in", "EXC-1", backend -> new Wrong(backend) {
                    private final Map<LockName, Acquisition> held = new ConcurrentHashMap<>();

                    @Override
                    public Acquisition tryAcquire(LockRequest request) {
                        return held.computeIfAbsent(request.name(), free -> super.tryAcquire(request));
                    }
                }),
                ofEngine(
                        "E02",
                        "two managers that ask at the same moment are both let in",
                        "EXC-2",
                        (backend, options, lab) -> LockManager.of(
                                new Wrong(backend) {
                                    @Override
                                    public Acquisition tryAcquire(LockRequest request) {
                                        Acquisition answer = super.tryAcquire(request);
                                        Object last =
                                                lab.shared.put(request.name().value(), lab.clock.nanoTime());
                                        return last != null && last.equals(lab.clock.nanoTime())
                                                ? new Acquisition.Granted(OptionalLong.of(1))
                                                : answer;
                                    }
                                },
                                options)),
                above("F024", "one lost answer ends a wait", "FLT-3", backend -> new Wrong(backend) {
                    @Override
                    public Acquisition tryAcquire(LockRequest request) {
                        return retold(Outcome.UNKNOWN, Outcome.REFUSED, () -> super.tryAcquire(request));
                    }
                }),
                above("F115", "an unreachable store counts as contended", "FLT-7", backend -> new Wrong(backend) {
                    @Override
                    public Acquisition tryAcquire(LockRequest request) {
                        try {
                            return super.tryAcquire(request);
                        } catch (LockBackendException e) {
                            return new Acquisition.Contended(Optional.empty());
                        }
                    }
                }),
                above("F116", "what the store refuses is tried again", "FLT-10", backend -> new Wrong(backend) {
                    @Override
                    public Acquisition tryAcquire(LockRequest request) {
                        return retold(Outcome.REFUSED, Outcome.NOT_APPLIED, () -> super.tryAcquire(request));
                    }
                }),
                above("F052", "what the store forgot is taken again", "FLT-12", backend -> new Wrong(backend) {
                    @Override
                    public Ownership renew(LockRequest request) {
                        Ownership found = super.renew(request);
                        return found == Ownership.ABSENT && super.tryAcquire(request) instanceof Acquisition.Granted
                                ? Ownership.HELD
                                : found;
                    }
                }),
                above("L04", "a renewal without an answer counts as done", "LOS-4", backend -> new Wrong(backend) {
                    @Override
                    public Ownership renew(LockRequest request) {
                        try {
                            return super.renew(request);
                        } catch (LockBackendException e) {
                            return Ownership.HELD;
                        }
                    }
                }),
                above(
                        "L05",
                        "a renewal that finds another owner is only logged",
                        "LOS-5",
                        backend -> new Wrong(backend) {
                            @Override
                            public Ownership renew(LockRequest request) {
                                Ownership found = super.renew(request);
                                return found == Ownership.OTHER_OWNER ? Ownership.HELD : found;
                            }
                        }),
                above("M06", "a release that was answered is repeated", "REL-4", backend -> new Wrong(backend) {
                    @Override
                    public Ownership release(LockRequest request) {
                        throw new LockBackendException(Outcome.UNKNOWN, "no answer after " + super.release(request));
                    }
                }),
                above("M08", "a late holder is told that it released", "REL-7", backend -> new Wrong(backend) {
                    @Override
                    public Ownership release(LockRequest request) {
                        super.release(request);
                        return Ownership.HELD;
                    }
                }),
                above("F063", "a renewal that finds nothing is only logged", "LOS-6", backend -> new Wrong(backend) {
                    @Override
                    public Ownership renew(LockRequest request) {
                        super.renew(request);
                        return Ownership.HELD;
                    }
                }),
                ofEngine(
                        "M47",
                        "renewal goes on after the release",
                        "LOS-2",
                        (backend, options, lab) -> LockManager.of(
                                new Wrong(backend) {
                                    @Override
                                    public Ownership release(LockRequest request) {
                                        Ownership found = super.release(request);
                                        lab.clock
                                                .newWorkers("left")
                                                .after(request.ttl().dividedBy(3), () -> super.renew(request));
                                        return found;
                                    }
                                },
                                options)),
                ofEngine(
                        "M11",
                        "held until released, whatever time it is",
                        "HON-3",
                        (backend, options, lab) ->
                                LockManager.of(backend, options.withClock(new WrongClock(options.clock()) {
                                    @Override
                                    public long nanoTime() {
                                        return 0;
                                    }

                                    @Override
                                    public long epochMicros() {
                                        return 0;
                                    }
                                }))),
                ofEngine(
                        "M38",
                        "no drift is allowed for",
                        "HON-2",
                        (backend, options, lab) ->
                                WrongManagers.with(backend, options, WrongNumbers.drift(0, Duration.ZERO))),
                ofEngine(
                        "H05",
                        "half of the TTL is kept back",
                        "HON-1",
                        (backend, options, lab) ->
                                WrongManagers.with(backend, options, WrongNumbers.drift(500, Duration.ZERO))),
                ofEngine(
                        "M51",
                        "renewed once per TTL",
                        "LOS-1",
                        (backend, options, lab) -> WrongManagers.with(backend, options, WrongNumbers.renewals(1))),
                ofEngine(
                        "M57",
                        "a waiter sleeps until the TTL ends",
                        "ACQ-7",
                        (backend, options, lab) -> WrongManagers.with(
                                Wrong.without(backend, List.of(ReleaseSignals.class)),
                                options,
                                WrongNumbers.polls(Duration.ofHours(1)))),
                ofEngine(
                        "F083",
                        "a waiter asks every millisecond",
                        "ACQ-11",
                        (backend, options, lab) ->
                                WrongManagers.with(backend, options, WrongNumbers.polls(Duration.ofMillis(1)))),
                ofEngine(
                        "M28",
                        "validity by the wall clock",
                        "HON-7",
                        (backend, options, lab) ->
                                LockManager.of(backend, options.withClock(new WrongClock(options.clock()) {
                                    @Override
                                    public long nanoTime() {
                                        return correct.epochMicros() * 1_000;
                                    }
                                }))),
                ofEngine(
                        "M137",
                        "a machine's sleep goes unnoticed",
                        "HON-6",
                        (backend, options, lab) ->
                                LockManager.of(backend, options.withClock(new WrongClock(options.clock()) {
                                    @Override
                                    public long epochMicros() {
                                        return correct.nanoTime() / 1_000;
                                    }
                                }))),
                ofEngine(
                        "M29",
                        "validity starts at the answer",
                        "HON-2",
                        (backend, options, lab) -> hidingTrips(
                                backend,
                                options.clock(),
                                (seeded, clock) -> LockManager.of(seeded, options.withClock(clock)))),
                ofEngine(
                        "M30",
                        "a renewed validity starts at the answer",
                        "HON-4",
                        (backend, options, lab) -> hidingTrips(
                                backend,
                                options.clock(),
                                (seeded, clock) -> LockManager.of(seeded, options.withClock(clock)))),
                ofEngine(
                        "F029",
                        "a late grant is handed out",
                        "HON-5",
                        (backend, options, lab) -> hidingTrips(
                                backend,
                                options.clock(),
                                (seeded, clock) -> LockManager.of(seeded, options.withClock(clock)))),
                ofEngine(
                        "M68",
                        "an interrupt of a waiter is swallowed",
                        "FLT-9",
                        (backend, options, lab) ->
                                LockManager.of(backend, options.withClock(new WrongClock(options.clock()) {
                                    @Override
                                    public Pause newPause() {
                                        Pause pause = correct.newPause();
                                        return new Pause() {
                                            @Override
                                            public void await(Duration longest) {
                                                try {
                                                    pause.await(longest);
                                                } catch (InterruptedException e) {
                                                    wake();
                                                }
                                            }

                                            @Override
                                            public void wake() {
                                                pause.wake();
                                            }
                                        };
                                    }
                                }))),
                ofEngine(
                        "M74",
                        "closing does not wake those who wait",
                        "LIF-2",
                        (backend, options, lab) ->
                                LockManager.of(backend, options.withClock(new WrongClock(options.clock()) {
                                    @Override
                                    public Pause newPause() {
                                        Pause pause = correct.newPause();
                                        return new Pause() {
                                            @Override
                                            public void await(Duration longest) throws InterruptedException {
                                                pause.await(
                                                        longest.compareTo(Duration.ofMillis(100)) > 0
                                                                ? Duration.ofHours(1)
                                                                : longest);
                                            }

                                            @Override
                                            public void wake() {}
                                        };
                                    }
                                }))));
    }

    static Mutant above(String id, String defect, String rule, Function<LockBackend, LockBackend> seed) {
        return ofEngine(
                id,
                defect,
                rule,
                (backend, options, lab) ->
                        LockManager.of(Wrong.without(seed.apply(backend), List.of(Handover.class)), options));
    }

    /** Takes one outcome of a failure for another. */
    private static <T> T retold(Outcome outcome, Outcome wrong, Supplier<T> request) {
        try {
            return request.get();
        } catch (LockBackendException e) {
            throw new LockBackendException(e.outcome() == outcome ? wrong : e.outcome(), "taken for " + wrong, e);
        }
    }

    @SuppressWarnings("ReturnValueIgnored") // that is the defect
    static void swallowInterrupt() {
        Thread.interrupted();
    }

    /** Knows which releases are undos. */
    private abstract static class Undoing extends Wrong {

        private final Map<OwnerToken, AtomicInteger> unknown = new ConcurrentHashMap<>();

        Undoing(LockBackend correct) {
            super(correct);
        }

        abstract Ownership undo(LockRequest request, int times);

        @Override
        public Acquisition tryAcquire(LockRequest request) {
            try {
                return super.tryAcquire(request);
            } catch (LockBackendException e) {
                unknown.put(request.owner(), new AtomicInteger());
                throw e;
            }
        }

        @Override
        public Ownership release(LockRequest request) {
            AtomicInteger times = unknown.get(request.owner());
            return times == null ? super.release(request) : undo(request, times.incrementAndGet());
        }
    }

    /** Makes a manager of a backend and a clock. */
    private interface Making {
        LockManager make(LockBackend backend, WrongClock clock);
    }

    /** The time that a request takes does not pass on the engine's clock. */
    private static LockManager hidingTrips(LockBackend backend, LockClock clock, Making making) {
        AtomicLong hidden = new AtomicLong();
        WrongClock blind = new WrongClock(clock) {
            @Override
            public long nanoTime() {
                return correct.nanoTime() - hidden.get();
            }

            @Override
            public long epochMicros() {
                return correct.epochMicros() - hidden.get() / 1_000;
            }
        };
        return making.make(
                new Wrong(backend) {
                    @Override
                    public Acquisition tryAcquire(LockRequest request) {
                        return hiding(() -> super.tryAcquire(request));
                    }

                    @Override
                    public Ownership renew(LockRequest request) {
                        return hiding(() -> super.renew(request));
                    }

                    private <T> T hiding(Supplier<T> request) {
                        long start = clock.nanoTime();
                        try {
                            return request.get();
                        } finally {
                            hidden.addAndGet(clock.nanoTime() - start);
                        }
                    }
                },
                blind);
    }
}
