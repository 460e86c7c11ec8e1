// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import static io.polylock.tck.Mutant.ofBackend;

import io.polylock.LockBackendException;
import io.polylock.spi.Acquisition;
import io.polylock.spi.BackendFeature;
import io.polylock.spi.BatchRenewal;
import io.polylock.spi.Handover;
import io.polylock.spi.Holder;
import io.polylock.spi.Inspection;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockName;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import io.polylock.spi.Ownership;
import io.polylock.spi.QuorumMember;
import io.polylock.spi.ReleaseSignals;
import io.polylock.spi.ReleaseSignals.SignalListener;
import io.polylock.spi.ReleaseSignals.Subscription;
import io.polylock.spi.RenewResult;
import io.polylock.spi.Vote;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Backends that get a feature wrong: tokens, hand-over, batches, quorum membership. */
final class FeatureMutants {

    private FeatureMutants() {}

    static List<Mutant> all() {
        return List.of(
                ofBackend(
                        "M113",
                        "the token starts again after a release",
                        "FEN-1",
                        (correct, lab) -> new Wrong(correct) {
                            @Override
                            public Acquisition tryAcquire(LockRequest request) {
                                return counting(super.tryAcquire(request), counter(lab, request));
                            }

                            @Override
                            public Ownership release(LockRequest request) {
                                counter(lab, request).set(0);
                                return super.release(request);
                            }
                        }),
                ofBackend(
                        "M123", "the counter is deleted with the lock", "FEN-1", (correct, lab) -> new Wrong(correct) {
                            @Override
                            public Ownership release(LockRequest request) {
                                lab.store.dropCounter(request.name().value());
                                return super.release(request);
                            }
                        }),
                ofBackend(
                        "F172",
                        "the token is a bare counter, forgotten with everything else",
                        "FEN-5",
                        (correct, lab) -> new Wrong(correct) {
                            @Override
                            public Acquisition tryAcquire(LockRequest request) {
                                return counting(super.tryAcquire(request), counter(lab, request));
                            }
                        }),
                ofBackend(
                        "M114",
                        "refused attempts count the token up under its holder",
                        "FEN-3",
                        (correct, lab) -> new Wrong(correct) {
                            @Override
                            public Acquisition tryAcquire(LockRequest request) {
                                Acquisition answer = super.tryAcquire(request);
                                AtomicLong refused = counter(lab, request);
                                if (answer instanceof Acquisition.Granted granted) {
                                    return new Acquisition.Granted(OptionalLong.of(
                                            granted.fencingToken().orElse(0) + refused.get()));
                                }
                                refused.incrementAndGet();
                                return answer;
                            }
                        }),
                ofBackend("M117", "the token is a bare timestamp", "FEN-6", (correct, lab) -> new Wrong(correct) {
                    @Override
                    public Acquisition tryAcquire(LockRequest request) {
                        return super.tryAcquire(request) instanceof Acquisition.Contended refused
                                ? refused
                                : new Acquisition.Granted(OptionalLong.of(lab.storeMicros()));
                    }
                }),
                ofBackend("F164", "a grant has no token", "FEN-2", (correct, lab) -> new Wrong(correct) {
                    @Override
                    public Acquisition tryAcquire(LockRequest request) {
                        return super.tryAcquire(request) instanceof Acquisition.Contended refused
                                ? refused
                                : new Acquisition.Granted(OptionalLong.empty());
                    }
                }),
                withFeature("H01", "hand-over ignores who gives", "HND-2", Handover.class, backend -> new Handover() {
                    @Override
                    public Acquisition handOver(OwnerToken giver, LockRequest heir) {
                        backend.deleteBlindly(heir);
                        return backend.correct.tryAcquire(heir);
                    }
                }),
                withFeature("H02", "the heir gets the giver's token", "FEN-8", Handover.class, backend -> {
                    Handover correct = backend.correct.feature(Handover.class).orElseThrow();
                    return new Handover() {
                        @Override
                        public Acquisition handOver(OwnerToken giver, LockRequest heir) {
                            Acquisition given = backend.correct.tryAcquire(Wrong.withOwner(heir, giver));
                            return correct.handOver(giver, heir) instanceof Acquisition.Contended refused
                                    ? refused
                                    : given;
                        }
                    };
                }),
                withFeature("H03", "hand-over keeps the giver's end", "HND-1", Handover.class, backend -> {
                    Handover correct = backend.correct.feature(Handover.class).orElseThrow();
                    return new Handover() {
                        @Override
                        public Acquisition handOver(OwnerToken giver, LockRequest heir) {
                            return correct.handOver(giver, Wrong.withTtl(heir, backend.remaining(heir)));
                        }
                    };
                }),
                withFeature("H04", "a repeated hand-over is refused", "HND-3", Handover.class, backend -> {
                    Handover correct = backend.correct.feature(Handover.class).orElseThrow();
                    Map<OwnerToken, Boolean> done = new ConcurrentHashMap<>();
                    return new Handover() {
                        @Override
                        public Acquisition handOver(OwnerToken giver, LockRequest heir) {
                            return done.putIfAbsent(heir.owner(), true) == null
                                    ? correct.handOver(giver, heir)
                                    : new Acquisition.Contended(Optional.empty());
                        }
                    };
                }),
                withFeature(
                        "F068",
                        "one lost lease fails the batch",
                        "REN-6",
                        BatchRenewal.class,
                        backend -> new BatchRenewal() {
                            @Override
                            public List<RenewResult> renewAll(List<LockRequest> requests) {
                                List<Ownership> found = requests.stream()
                                        .map(backend.correct::renew)
                                        .toList();
                                Ownership worst =
                                        found.stream().max(Ownership::compareTo).orElse(Ownership.HELD);
                                return found.stream()
                                        .map(each -> (RenewResult) new RenewResult.Answered(worst))
                                        .toList();
                            }
                        }),
                ofBackend(
                        "M116", "the token is minted before the grant", "FEN-4", (correct, lab) -> new Wrong(correct) {
                            @Override
                            public Acquisition tryAcquire(LockRequest request) {
                                long minted = counter(lab, request).incrementAndGet();
                                lab.pass(Duration.ofMillis(minted % 2 == 0 ? 1 : 3));
                                return super.tryAcquire(request) instanceof Acquisition.Contended refused
                                        ? refused
                                        : new Acquisition.Granted(OptionalLong.of(minted));
                            }
                        }),
                ofBackend(
                        "F173",
                        "the token does not follow the store's clock",
                        "FEN-7",
                        (correct, lab) -> new Wrong(correct) {
                            @Override
                            public Acquisition tryAcquire(LockRequest request) {
                                return counting(super.tryAcquire(request), counter(lab, request));
                            }
                        }),
                withFeature("I01", "what is left is told in the wrong unit", "INS-1", Inspection.class, backend -> {
                    Inspection correct = backend.operator();
                    return new WrongInspection(correct) {
                        @Override
                        public Optional<Holder> inspect(LockName name, Duration answerWithin) {
                            return super.inspect(name, answerWithin)
                                    .map(holder -> new Holder(
                                            holder.name(),
                                            holder.ownerHint(),
                                            holder.label(),
                                            holder.remaining().map(left -> left.dividedBy(1_000)),
                                            holder.fencingToken()));
                        }
                    };
                }),
                withFeature("I02", "the list ends after a page", "INS-2", Inspection.class, backend -> {
                    Inspection correct = backend.operator();
                    return new WrongInspection(correct) {
                        @Override
                        public Page list(Optional<String> after, int limit, Duration answerWithin) {
                            return new Page(
                                    super.list(after, limit, answerWithin).holders(), Optional.empty());
                        }
                    };
                }),
                withFeature("I03", "revoking only shows the holder", "INS-3", Inspection.class, backend -> {
                    Inspection correct = backend.operator();
                    return new WrongInspection(correct) {
                        @Override
                        public Optional<Holder> revoke(LockName name, Duration answerWithin) {
                            return inspect(name, answerWithin);
                        }
                    };
                }),
                signals(
                        "S01",
                        "the listening begins after the confirmation",
                        "SIG-1",
                        (correct, lab) -> watching((name, listener, bound) -> {
                            List<Subscription> real = new CopyOnWriteArrayList<>();
                            lab.clock
                                    .newWorkers("late")
                                    .after(Duration.ofMillis(50), () -> real.add(correct.watch(name, listener, bound)));
                            return () -> real.forEach(Subscription::close);
                        })),
                signals("S03", "the end of one listening ends all", "SIG-3", (correct, lab) -> {
                    List<Subscription> all = new CopyOnWriteArrayList<>();
                    return watching((name, listener, bound) -> {
                        all.add(correct.watch(name, listener, bound));
                        return () -> all.forEach(Subscription::close);
                    });
                }),
                signals(
                        "S04",
                        "a listening that is not confirmed counts",
                        "SIG-4",
                        (correct, lab) -> watching((name, listener, bound) -> {
                            try {
                                return correct.watch(name, listener, bound);
                            } catch (LockBackendException e) {
                                return () -> {};
                            }
                        })),
                ofBackend("S02", "only the one that released is signalled to", "SIG-2", (correct, lab) -> {
                    Map<LockName, SignalListener> own = new ConcurrentHashMap<>();
                    return new Wrong(correct) {
                        @Override
                        public Ownership release(LockRequest request) {
                            Ownership found = super.release(request);
                            own.getOrDefault(request.name(), new Deaf()).released();
                            return found;
                        }

                        @Override
                        public <F extends BackendFeature> Optional<F> feature(Class<F> type) {
                            return type == ReleaseSignals.class
                                    ? Optional.of(type.cast(watching((name, listener, bound) -> {
                                        own.put(name, listener);
                                        return () -> own.remove(name);
                                    })))
                                    : super.feature(type);
                        }
                    };
                }),
                joining("Q04", "everybody joins", "QUO-1", (backend, correct) -> (request, giver) -> {
                    Vote.Join vote = correct.join(request, giver);
                    if (vote instanceof Vote.Joined) {
                        return vote;
                    }
                    backend.deleteBlindly(request);
                    return correct.join(request, giver);
                }),
                joining(
                        "Q05",
                        "a token that was minted is not stored",
                        "QUO-2",
                        (backend, correct) -> (request, giver) -> {
                            Vote.Join vote = correct.join(request, giver);
                            backend.forget(request);
                            return vote;
                        }),
                joining("Q06", "each client names an incarnation of its own", "QUO-6", (backend, correct) -> {
                    String own = OwnerToken.random().toString();
                    return (request, giver) -> correct.join(request, giver) instanceof Vote.Joined joined
                            ? new Vote.Joined(joined.token(), own, joined.age(), joined.clockMicros())
                            : correct.join(request, giver);
                }),
                joining(
                        "Q07",
                        "an heir is a stranger",
                        "QUO-7",
                        (backend, correct) -> (request, giver) -> correct.join(request, Optional.empty())),
                member(
                        "M121",
                        "a stranger may confirm",
                        "QUO-4",
                        (backend, correct) -> (request, memory, token, skew) -> {
                            Vote.Confirmation answer = correct.confirm(request, memory, token, skew);
                            return answer.equals(new Vote.Refused(Vote.Refused.Reason.NOT_OWNER))
                                    ? new Vote.Confirmed()
                                    : answer;
                        }),
                member(
                        "M120",
                        "an old token may be confirmed",
                        "QUO-4",
                        (backend, correct) -> (request, memory, token, skew) -> {
                            Vote.Confirmation answer = correct.confirm(request, memory, token, skew);
                            return answer.equals(new Vote.Refused(Vote.Refused.Reason.OUTDATED))
                                    ? new Vote.Confirmed()
                                    : answer;
                        }),
                member(
                        "Q01",
                        "a token from the future is confirmed",
                        "QUO-5",
                        (backend, correct) -> (request, memory, token, skew) ->
                                correct.confirm(request, memory, token, Duration.ofDays(1))),
                member(
                        "Q02",
                        "a confirmed token is not stored",
                        "QUO-3",
                        (backend, correct) -> (request, memory, token, skew) -> {
                            Vote.Confirmation answer = correct.confirm(request, memory, token, skew);
                            backend.forget(request);
                            return answer;
                        }),
                member(
                        "Q03",
                        "a node that has forgotten confirms",
                        "QUO-8",
                        (backend, correct) -> (request, memory, token, skew) ->
                                correct.join(request, Optional.empty()) instanceof Vote.Joined joined
                                        ? correct.confirm(request, joined.incarnation(), token, skew)
                                        : new Vote.Refused(Vote.Refused.Reason.NOT_OWNER)));
    }

    private static AtomicLong counter(Lab lab, LockRequest request) {
        return (AtomicLong) lab.shared.computeIfAbsent(request.name().value(), absent -> new AtomicLong());
    }

    private static Acquisition counting(Acquisition answer, AtomicLong counter) {
        return answer instanceof Acquisition.Granted
                ? new Acquisition.Granted(OptionalLong.of(counter.incrementAndGet()))
                : answer;
    }

    /** A backend with one feature of its own. */
    private static final class WithFeature extends Wrong {

        private final Lab lab;

        WithFeature(LockBackend correct, Lab lab) {
            super(correct);
            this.lab = lab;
        }

        void forget(LockRequest request) {
            lab.store.dropCounter(request.name().value());
        }
    }

    private static <F extends BackendFeature> Mutant withFeature(
            String id, String defect, String rule, Class<F> feature, Function<WithFeature, F> wrong) {
        return ofBackend(id, defect, rule, (correct, lab) -> {
            F replaced = wrong.apply(new WithFeature(correct, lab));
            return new Wrong(correct) {
                @Override
                public <G extends BackendFeature> Optional<G> feature(Class<G> type) {
                    return type == feature ? Optional.of(type.cast(replaced)) : super.feature(type);
                }
            };
        });
    }

    /** How a member confirms. */
    private interface Confirm {
        Vote.Confirmation confirm(LockRequest request, String incarnation, long token, Duration maxSkew);
    }

    /** Makes a wrong confirmation out of a correct member. */
    private interface WrongMember {
        Confirm seed(WithFeature backend, QuorumMember correct);
    }

    private static Mutant member(String id, String defect, String rule, WrongMember wrong) {
        return withFeature(id, defect, rule, QuorumMember.class, backend -> {
            QuorumMember correct = backend.correct.feature(QuorumMember.class).orElseThrow();
            Confirm confirm = wrong.seed(backend, correct);
            return new QuorumMember() {
                @Override
                public Vote.Join join(LockRequest request, Optional<OwnerToken> from) {
                    return correct.join(request, from);
                }

                @Override
                public Vote.Confirmation confirm(
                        LockRequest request, String incarnation, long token, Duration maxSkew) {
                    return confirm.confirm(request, incarnation, token, maxSkew);
                }
            };
        });
    }

    /** How a node joins. */
    private interface Join {
        Vote.Join join(LockRequest request, Optional<OwnerToken> giver);
    }

    /** Makes a wrong join out of a correct member. */
    private interface WrongJoin {
        Join seed(WithFeature backend, QuorumMember correct);
    }

    private static Mutant joining(String id, String defect, String rule, WrongJoin wrong) {
        return withFeature(id, defect, rule, QuorumMember.class, backend -> {
            QuorumMember correct = backend.correct.feature(QuorumMember.class).orElseThrow();
            Join join = wrong.seed(backend, correct);
            return new QuorumMember() {
                @Override
                public Vote.Join join(LockRequest request, Optional<OwnerToken> from) {
                    return join.join(request, from);
                }

                @Override
                public Vote.Confirmation confirm(
                        LockRequest request, String incarnation, long token, Duration maxSkew) {
                    return correct.confirm(request, incarnation, token, maxSkew);
                }
            };
        });
    }

    /** An operator's view that passes everything on. */
    private static class WrongInspection implements Inspection {

        private final Inspection correct;

        WrongInspection(Inspection correct) {
            this.correct = correct;
        }

        @Override
        public Optional<Holder> inspect(LockName name, Duration answerWithin) {
            return correct.inspect(name, answerWithin);
        }

        @Override
        public Page list(Optional<String> after, int limit, Duration answerWithin) {
            return correct.list(after, limit, answerWithin);
        }

        @Override
        public Optional<Holder> revoke(LockName name, Duration answerWithin) {
            return correct.revoke(name, answerWithin);
        }
    }

    /** How a client listens. */
    private interface Watch {
        Subscription watch(LockName name, SignalListener listener, Duration answerWithin);
    }

    private static ReleaseSignals watching(Watch watch) {
        return new ReleaseSignals() {
            @Override
            public Subscription watch(LockName name, SignalListener listener, Duration answerWithin) {
                return watch.watch(name, listener, answerWithin);
            }
        };
    }

    private static Mutant signals(
            String id, String defect, String rule, BiFunction<ReleaseSignals, Lab, ReleaseSignals> wrong) {
        return withFeature(
                id,
                defect,
                rule,
                ReleaseSignals.class,
                backend -> wrong.apply(
                        backend.correct.feature(ReleaseSignals.class).orElseThrow(), backend.lab));
    }

    /** Hears nothing. */
    private static final class Deaf implements SignalListener {

        @Override
        public void released() {}

        @Override
        public void gap() {}
    }
}
