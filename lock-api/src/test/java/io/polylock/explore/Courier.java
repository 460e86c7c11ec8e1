// SPDX-License-Identifier: Apache-2.0
package io.polylock.explore;

import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.memory.MemoryLockBackend;
import io.polylock.spi.Acquisition;
import io.polylock.spi.BackendFeature;
import io.polylock.spi.Fencing;
import io.polylock.spi.Handover;
import io.polylock.spi.Holder;
import io.polylock.spi.Inspection;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockName;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import io.polylock.spi.Ownership;
import io.polylock.spi.ReleaseSignals;
import io.polylock.spi.ReleaseSignals.SignalListener;
import io.polylock.spi.ReleaseSignals.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The way between one manager and the store, in the hands of a schedule. A request is on its way, takes effect, and its answer is
 * on its way; in between, others go on. It may be refused, or go astray: its client hears nothing until its time is up, and it
 * arrives at any time until twice that, or never.
 */
final class Courier implements LockBackend {

    private static final List<Way> ACQUIRE = ways("acquire");
    private static final List<Way> RENEW = ways("renew");
    private static final List<Way> RELEASE = ways("release");
    private static final List<Way> ANSWER = List.of(Way.free("sees the answer"));
    private static final List<Way> NO_ANSWER = List.of(Way.free("hears nothing"));

    private final Schedule schedule;
    private final Ledger ledger;
    private final MemoryLockBackend store;
    private final long territory;
    private final Features features;
    private boolean closed;

    Courier(Schedule schedule, Ledger ledger, MemoryLockBackend store, long territory) {
        this.schedule = schedule;
        this.ledger = ledger;
        this.store = store;
        this.territory = territory;
        this.features = new Features();
    }

    @Override
    public Acquisition tryAcquire(LockRequest request) {
        return send("acquire", request, () -> ledger.granted(request, store.tryAcquire(request)));
    }

    @Override
    public Ownership renew(LockRequest request) {
        return send("renew", request, () -> store.renew(request));
    }

    @Override
    public Ownership release(LockRequest request) {
        return send("release", request, () -> store.release(request));
    }

    @Override
    public <F extends BackendFeature> Optional<F> feature(Class<F> type) {
        return type.isInstance(features) ? Optional.of(type.cast(features)) : Optional.empty();
    }

    @Override
    public void close() {
        closed = true;
    }

    boolean closed() {
        return closed;
    }

    private <T> T send(String what, LockRequest request, Supplier<T> effect) {
        return ledger.inFlight(what, request, () -> send(what, request.answerWithin(), effect));
    }

    private <T> T send(String what, Duration answerWithin, Supplier<T> effect) {
        if (closed) {
            throw new IllegalStateException("the backend is closed");
        }
        if (!schedule.running()) {
            return effect.get();
        }
        try {
            return new Trip<>(what, answerWithin.toNanos(), effect).make();
        } finally {
            schedule.touch(territory);
        }
    }

    private static List<Way> request(String what) {
        return switch (what) {
            case "acquire" -> ACQUIRE;
            case "renew" -> RENEW;
            case "release" -> RELEASE;
            default -> ways(what);
        };
    }

    private static final List<Way> SIGNAL = List.of(Way.free("arrives"), Way.fault("is lost"));

    private static List<Way> ways(String what) {
        return List.of(
                Way.free("has its " + what + " done by the store"),
                Way.fault("has its " + what + " go astray"),
                Way.fault("has its " + what + " refused"));
    }

    /** One request and its answer. */
    private final class Trip<T> {

        private final String what;
        private final long answerWithinNanos;
        private final Supplier<T> effect;
        private final Strand client = schedule.current();
        private boolean timeUp;
        private boolean heard;

        Trip(String what, long answerWithinNanos, Supplier<T> effect) {
            this.what = what;
            this.answerWithinNanos = answerWithinNanos;
            this.effect = effect;
        }

        T make() {
            Schedule.Event deadline = schedule.at(answerWithinNanos, () -> {
                if (!heard) {
                    timeUp = true;
                    client.readyFor(NO_ANSWER);
                }
            });
            try {
                int way = schedule.point(Schedule.Point.WAITS, request(what));
                if (timeUp) {
                    stray(answerWithinNanos);
                    throw noAnswer();
                }
                if (way == 1) {
                    stray(2 * answerWithinNanos);
                    schedule.block(NO_ANSWER);
                    throw noAnswer();
                }
                if (way == 2) {
                    throw new LockBackendException(Outcome.NOT_APPLIED, "no connection");
                }
                return answered();
            } finally {
                schedule.cancel(deadline);
            }
        }

        private T answered() {
            schedule.touch(Footprint.STORE);
            Supplier<T> answer;
            try {
                T result = effect.get();
                answer = () -> result;
            } catch (LockBackendException e) {
                answer = () -> {
                    throw e;
                };
            }
            schedule.point(Schedule.Point.WAITS, ANSWER);
            if (timeUp) {
                throw noAnswer();
            }
            heard = true;
            if (schedule.timeMayPass()) {
                schedule.point(Schedule.Point.COMPUTES); // heard in time, used later
            }
            return answer.get();
        }

        @SuppressWarnings("ReturnValueIgnored") // nobody hears it
        private void stray(long longest) {
            Strand late = schedule.startOrNot(client.name + "'s stray " + what + "#" + client.nextChild(), () -> {
                schedule.touch(Footprint.STORE);
                try {
                    effect.get();
                } catch (LockBackendException nobodyHears) {
                    // refused
                }
            });
            schedule.at(longest, () -> schedule.drop(late));
        }

        private LockBackendException noAnswer() {
            return new LockBackendException(Outcome.UNKNOWN, "no answer to " + what);
        }
    }

    /** A listening, to whose listener each signal makes its own way. */
    private final class Watch implements SignalListener, Subscription {

        private final SignalListener listener;
        private Optional<Subscription> subscription = Optional.empty();
        private boolean over;
        private int heard;

        Watch(SignalListener listener) {
            this.listener = listener;
        }

        Subscription begin(ReleaseSignals signals, LockName name, Duration answerWithin) {
            if (!over) {
                subscription = Optional.of(signals.watch(name, this, answerWithin));
            }
            return this;
        }

        @Override
        public void released() {
            schedule.start("signal#" + territory + "." + ++heard, () -> {
                if (schedule.point(Schedule.Point.WAITS, SIGNAL) == 0) {
                    schedule.touch(territory);
                    listener.released();
                }
            });
        }

        @Override
        public void gap() {
            listener.gap();
        }

        @Override
        public void close() {
            schedule.touch(Footprint.STORE);
            over = true;
            subscription.ifPresent(Subscription::close);
        }
    }

    private final class Features implements Fencing, Handover, Inspection, ReleaseSignals {

        private final Handover handover = store.feature(Handover.class).orElseThrow();
        private final Inspection inspection = store.feature(Inspection.class).orElseThrow();
        private final ReleaseSignals signals =
                store.feature(ReleaseSignals.class).orElseThrow();

        @Override
        public Acquisition handOver(OwnerToken giver, LockRequest heir) {
            return send("hand-over", heir.answerWithin(), () -> ledger.granted(heir, handover.handOver(giver, heir)));
        }

        @Override
        public Subscription watch(LockName name, SignalListener listener, Duration answerWithin) {
            Watch watch = new Watch(listener);
            try {
                return send("watch", answerWithin, () -> watch.begin(signals, name, answerWithin));
            } catch (LockBackendException e) {
                watch.close();
                throw e;
            }
        }

        @Override
        public Optional<Holder> inspect(LockName name, Duration answerWithin) {
            return send("look", answerWithin, () -> inspection.inspect(name, answerWithin));
        }

        @Override
        public Page list(Optional<String> after, int limit, Duration answerWithin) {
            return inspection.list(after, limit, answerWithin);
        }

        @Override
        public Optional<Holder> revoke(LockName name, Duration answerWithin) {
            return send("revocation", answerWithin, () -> inspection.revoke(name, answerWithin));
        }
    }
}
