// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import static io.polylock.tck.Mutant.ofBackend;

import io.polylock.LockBackendException;
import io.polylock.spi.Acquisition;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockName;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import io.polylock.spi.Ownership;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** Backends that get one of the three operations wrong. */
final class BackendMutants {

    private BackendMutants() {}

    static List<Mutant> all() {
        return List.of(
                ofBackend("M01", "release ignores the owner", "REL-2", (correct, lab) -> new Wrong(correct) {
                    @Override
                    public Ownership release(LockRequest request) {
                        return deleteBlindly(request);
                    }
                }),
                ofBackend(
                        "M02",
                        "release compares first and deletes then",
                        "REL-9",
                        (correct, lab) -> new Wrong(correct) {
                            @Override
                            public Ownership release(LockRequest request) {
                                boolean mine = isOwner(request);
                                lab.pass(Duration.ofMillis(2));
                                return mine ? deleteBlindly(request) : super.release(request);
                            }
                        }),
                ofBackend("F176", "no answer counts as contended", "FLT-13", (correct, lab) -> new Wrong(correct) {
                    @Override
                    public Acquisition tryAcquire(LockRequest request) {
                        try {
                            return super.tryAcquire(request);
                        } catch (LockBackendException e) {
                            return new Acquisition.Contended(Optional.empty());
                        }
                    }
                }),
                ofBackend("M03", "one owner token per client", "REL-8", (correct, lab) -> {
                    OwnerToken owner = OwnerToken.random();
                    return changing(correct, request -> Wrong.withOwner(request, owner));
                }),
                ofBackend(
                        "M04",
                        "one owner token per thread",
                        "ACQ-3",
                        (correct, lab) -> changing(
                                correct,
                                request -> Wrong.withOwner(
                                        request,
                                        token(Thread.currentThread().getName().hashCode())))),
                ofBackend(
                        "M05", "owner tokens from a generator that all clients seed alike", "ACQ-1", (correct, lab) -> {
                            AtomicInteger seed = new AtomicInteger();
                            Map<OwnerToken, OwnerToken> drawn = new ConcurrentHashMap<>();
                            return changing(
                                    correct,
                                    request -> Wrong.withOwner(
                                            request,
                                            drawn.computeIfAbsent(
                                                    request.owner(), real -> token(seed.getAndIncrement()))));
                        }),
                ofBackend("M07", "release always says that it released", "REL-3", (correct, lab) -> new Wrong(correct) {
                    @Override
                    public Ownership release(LockRequest request) {
                        super.release(request);
                        return Ownership.HELD;
                    }
                }),
                ofBackend(
                        "M09",
                        "reentrant for the thread that holds the lock",
                        "ACQ-3",
                        (correct, lab) -> new Wrong(correct) {
                            private final Map<String, Thread> holders = new ConcurrentHashMap<>();

                            @Override
                            public Acquisition tryAcquire(LockRequest request) {
                                String name = request.name().value();
                                if (Thread.currentThread().equals(holders.get(name))) {
                                    return new Acquisition.Granted(OptionalLong.of(1));
                                }
                                Acquisition answer = super.tryAcquire(request);
                                if (answer instanceof Acquisition.Granted) {
                                    holders.put(name, Thread.currentThread());
                                }
                                return answer;
                            }
                        }),
                ofBackend(
                        "M10", "only the acquiring thread can release", "REL-5", (correct, lab) -> new Wrong(correct) {
                            private final Map<OwnerToken, Thread> acquirers = new ConcurrentHashMap<>();

                            @Override
                            public Acquisition tryAcquire(LockRequest request) {
                                acquirers.put(request.owner(), Thread.currentThread());
                                return super.tryAcquire(request);
                            }

                            @Override
                            public Ownership release(LockRequest request) {
                                return Thread.currentThread().equals(acquirers.get(request.owner()))
                                        ? super.release(request)
                                        : Ownership.OTHER_OWNER;
                            }
                        }),
                ofBackend(
                        "M14", "acquire overwrites a lock that is held", "ACQ-1", (correct, lab) -> new Wrong(correct) {
                            @Override
                            public Acquisition tryAcquire(LockRequest request) {
                                deleteBlindly(request);
                                return super.tryAcquire(request);
                            }
                        }),
                ofBackend("F021", "a repeated request is contended with itself", "ACQ-4", (correct, lab) -> {
                    Map<OwnerToken, Boolean> asked = new ConcurrentHashMap<>();
                    return new Wrong(correct) {
                        @Override
                        public Acquisition tryAcquire(LockRequest request) {
                            return asked.putIfAbsent(request.owner(), true) == null
                                    ? super.tryAcquire(request)
                                    : new Acquisition.Contended(Optional.of(remaining(request)));
                        }
                    };
                }),
                ofBackend(
                        "M21",
                        "a repeated request is granted without restarting the expiry",
                        "ACQ-4",
                        (correct, lab) -> {
                            Map<OwnerToken, Acquisition> answers = new ConcurrentHashMap<>();
                            return new Wrong(correct) {
                                @Override
                                public Acquisition tryAcquire(LockRequest request) {
                                    return answers.computeIfAbsent(request.owner(), first -> super.tryAcquire(request));
                                }
                            };
                        }),
                ofBackend("F059", "a refused attempt prolongs the lock", "ACQ-2", (correct, lab) -> new Wrong(correct) {
                    @Override
                    public Acquisition tryAcquire(LockRequest request) {
                        Acquisition answer = super.tryAcquire(request);
                        LockRequest holder =
                                (LockRequest) lab.shared.get(request.name().value());
                        if (answer instanceof Acquisition.Granted) {
                            lab.shared.put(request.name().value(), request);
                        } else if (holder != null) {
                            super.renew(withTtl(holder, request.ttl()));
                        }
                        return answer;
                    }
                }),
                ofBackend(
                        "M26",
                        "expiry is compared with the client's clock",
                        "EXP-4",
                        (correct, lab) -> new Wrong(correct) {
                            @Override
                            public Acquisition tryAcquire(LockRequest request) {
                                String name = request.name().value();
                                Object ends = lab.shared.get(name);
                                if (ends instanceof Long micros && micros <= lab.clock.epochMicros()) {
                                    deleteBlindly(request);
                                }
                                Acquisition answer = super.tryAcquire(request);
                                if (answer instanceof Acquisition.Granted) {
                                    lab.shared.put(
                                            name,
                                            lab.clock.epochMicros()
                                                    + request.ttl().toNanos() / 1_000);
                                }
                                return answer;
                            }
                        }),
                ofBackend("M27", "expiry is written from the client's clock", "EXP-4", (correct, lab) -> {
                    long start = lab.clock.epochMicros() - lab.clock.nanoTime() / 1_000;
                    return changing(correct, request -> {
                        long ahead = lab.clock.epochMicros() - lab.clock.nanoTime() / 1_000 - start;
                        return Wrong.withTtl(request, request.ttl().plusNanos(ahead * 1_000));
                    });
                }),
                ofBackend(
                        "M31",
                        "the TTL is cut down to seconds",
                        "EXP-1",
                        (correct, lab) -> changing(
                                correct,
                                request -> Wrong.withTtl(
                                        request,
                                        Duration.ofSeconds(request.ttl().toSeconds())))),
                ofBackend(
                        "M32",
                        "seconds are taken for milliseconds",
                        "EXP-5",
                        (correct, lab) -> changing(
                                correct,
                                request -> Wrong.withTtl(request, request.ttl().dividedBy(1_000)))),
                ofBackend(
                        "M36",
                        "a fraction of a millisecond is rounded down",
                        "EXP-3",
                        (correct, lab) -> changing(
                                correct,
                                request -> Wrong.withTtl(
                                        request, Duration.ofMillis(request.ttl().toMillis())))),
                ofBackend("M37", "an expired lock needs a release", "EXP-2", BackendMutants::needingRelease),
                ofBackend("E04", "a dead holder keeps the lock", "EXC-4", BackendMutants::needingRelease),
                ofBackend("M08b", "release says HELD and frees nothing", "REL-1", (correct, lab) -> new Wrong(correct) {
                    @Override
                    public Ownership release(LockRequest request) {
                        return isOwner(request) ? Ownership.HELD : super.release(request);
                    }
                }),
                ofBackend(
                        "M39",
                        "renew prolongs a lock that another owner holds",
                        "REN-2",
                        (correct, lab) -> new Wrong(correct) {
                            @Override
                            public Acquisition tryAcquire(LockRequest request) {
                                Acquisition answer = super.tryAcquire(request);
                                if (answer instanceof Acquisition.Granted) {
                                    lab.shared.put(request.name().value(), request.owner());
                                }
                                return answer;
                            }

                            @Override
                            public Ownership renew(LockRequest request) {
                                Object holder = lab.shared.get(request.name().value());
                                return super.renew(
                                        holder instanceof OwnerToken owner ? withOwner(request, owner) : request);
                            }
                        }),
                ofBackend(
                        "F002",
                        "renew compares first and prolongs then",
                        "REN-8",
                        (correct, lab) -> new Wrong(correct) {
                            @Override
                            public Acquisition tryAcquire(LockRequest request) {
                                Acquisition answer = super.tryAcquire(request);
                                if (answer instanceof Acquisition.Granted) {
                                    lab.shared.put(request.name().value(), request.owner());
                                }
                                return answer;
                            }

                            @Override
                            public Ownership renew(LockRequest request) {
                                boolean mine = isOwner(request);
                                lab.pass(Duration.ofMillis(2));
                                Object holder = lab.shared.get(request.name().value());
                                return mine && holder instanceof OwnerToken owner
                                        ? super.renew(withOwner(request, owner))
                                        : super.renew(request);
                            }
                        }),
                ofBackend("M40", "renew takes a lock that is free", "REN-3", (correct, lab) -> new Wrong(correct) {
                    @Override
                    public Ownership renew(LockRequest request) {
                        return super.tryAcquire(request) instanceof Acquisition.Granted
                                ? Ownership.HELD
                                : Ownership.OTHER_OWNER;
                    }
                }),
                ofBackend("M43", "renew may shorten", "REN-4", (correct, lab) -> new Wrong(correct) {
                    @Override
                    public Ownership renew(LockRequest request) {
                        Ownership found = super.release(request);
                        if (found == Ownership.HELD) {
                            super.tryAcquire(request);
                        }
                        return found;
                    }
                }),
                ofBackend("M44", "renew adds to what is left", "REN-5", (correct, lab) -> new Wrong(correct) {
                    @Override
                    public Ownership renew(LockRequest request) {
                        return super.renew(withTtl(request, request.ttl().plus(remaining(request))));
                    }
                }),
                ofBackend(
                        "M45",
                        "renew says HELD whatever the store answers",
                        "REN-3",
                        (correct, lab) -> new Wrong(correct) {
                            @Override
                            public Ownership renew(LockRequest request) {
                                super.renew(request);
                                return Ownership.HELD;
                            }
                        }),
                ofBackend("M46", "renew checks and does not prolong", "REN-1", (correct, lab) -> new Wrong(correct) {
                    @Override
                    public Ownership renew(LockRequest request) {
                        return super.renew(withTtl(request, Duration.ofMillis(10)));
                    }
                }),
                ofBackend("M128", "renew runs the release script", "REN-7", (correct, lab) -> new Wrong(correct) {
                    @Override
                    public Ownership renew(LockRequest request) {
                        return super.release(request);
                    }
                }),
                ofBackend(
                        "M81",
                        "names are folded to lower case",
                        "INP-2",
                        (correct, lab) -> changing(
                                correct,
                                request -> named(request, request.name().value().toLowerCase(Locale.ROOT)))),
                ofBackend(
                        "M82",
                        "names are hashed to 32 bits",
                        "ACQ-5",
                        (correct, lab) -> changing(
                                correct,
                                request -> named(
                                        request, "h" + request.name().value().hashCode()))),
                ofBackend(
                        "M85",
                        "names are cut to 200 characters",
                        "INP-2",
                        (correct, lab) -> changing(
                                correct,
                                request ->
                                        named(request, first(200, request.name().value())))),
                ofBackend("M76", "a closed backend goes on working", "LIF-1", (correct, lab) -> new Wrong(correct) {
                    @Override
                    public void close() {}
                }),
                ofBackend(
                        "F095", "closing a backend frees what it holds", "LIF-1", (correct, lab) -> new Wrong(correct) {
                            private final Map<OwnerToken, LockRequest> held = new ConcurrentHashMap<>();

                            @Override
                            public Acquisition tryAcquire(LockRequest request) {
                                held.put(request.owner(), request);
                                return super.tryAcquire(request);
                            }

                            @Override
                            public void close() {
                                held.values().forEach(super::release);
                                held.clear();
                                super.close();
                            }
                        }),
                ofBackend("M77", "a thread survives the backend", "LIF-5", (correct, lab) -> {
                    Thread watcher = new Thread(
                            () -> {
                                try {
                                    Thread.currentThread()
                                            .join(Duration.ofMinutes(1).toMillis());
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                }
                            },
                            "left-over");
                    watcher.setDaemon(true);
                    watcher.start();
                    return new Wrong(correct);
                }));
    }

    private static LockBackend needingRelease(LockBackend correct, Lab lab) {
        return new Wrong(correct) {
            @Override
            public Acquisition tryAcquire(LockRequest request) {
                Object holder = lab.shared.putIfAbsent(request.name().value(), request.owner());
                return holder == null || holder.equals(request.owner())
                        ? super.tryAcquire(request)
                        : new Acquisition.Contended(Optional.empty());
            }

            @Override
            public Ownership release(LockRequest request) {
                lab.shared.remove(request.name().value(), request.owner());
                return super.release(request);
            }
        };
    }

    static LockBackend changing(LockBackend correct, UnaryOperator<LockRequest> change) {
        return new Wrong(correct) {
            @Override
            public Acquisition tryAcquire(LockRequest request) {
                return super.tryAcquire(change.apply(request));
            }

            @Override
            public Ownership renew(LockRequest request) {
                return super.renew(change.apply(request));
            }

            @Override
            public Ownership release(LockRequest request) {
                return super.release(change.apply(request));
            }
        };
    }

    private static LockRequest named(LockRequest request, String name) {
        return new LockRequest(
                new LockName(name), request.owner(), request.label(), request.ttl(), request.answerWithin());
    }

    private static String first(int characters, String text) {
        return text.codePointCount(0, text.length()) <= characters
                ? text
                : text.substring(0, text.offsetByCodePoints(0, characters));
    }

    private static OwnerToken token(long seed) {
        return OwnerToken.of("0".repeat(16) + HexFormat.of().toHexDigits(seed));
    }
}
