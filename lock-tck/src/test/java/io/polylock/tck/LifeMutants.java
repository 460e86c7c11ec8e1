// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import static io.polylock.tck.EngineMutants.above;
import static io.polylock.tck.Mutant.ofEngine;

import io.polylock.LockEvent;
import io.polylock.LockListener;
import io.polylock.LockManager;
import io.polylock.ManagerOptions;
import io.polylock.spi.Acquisition;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockClock;
import io.polylock.spi.LockRequest;
import io.polylock.spi.Ownership;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Engines that go wrong in futures, in what they tell, or at their end. */
final class LifeMutants {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private LifeMutants() {}

    static List<Mutant> all() {
        return List.of(
                lanes("A01", "futures are not completed", "ASY-1", Set.of("completion"), (lane, lab) -> task -> {}),
                above("A02", "what is granted too late for its future is kept", "ASY-2", backend -> new Wrong(backend) {
                    @Override
                    public Ownership release(LockRequest request) {
                        return Thread.currentThread().getName().contains("-head-")
                                ? Ownership.HELD
                                : super.release(request);
                    }
                }),
                lanes(
                        "A03",
                        "futures are completed by whoever releases",
                        "ASY-3",
                        Set.of("completion", "head"),
                        (lane, lab) -> Runnable::run),
                workers(
                        "F089",
                        "a thread for each asynchronous waiter",
                        "ASY-4",
                        (workers, lab) -> new Threads(workers, lab)),
                workers(
                        "A04",
                        "a future has no deadline",
                        "ASY-5",
                        (workers, lab) -> new WrongClock.WrongWorkers(workers) {
                            @Override
                            public LockClock.Scheduled after(Duration delay, Runnable task) {
                                return delay.compareTo(Duration.ofMillis(200)) > 0
                                        ? () -> {}
                                        : super.after(delay, task);
                            }
                        }),
                lanes(
                        "A05",
                        "one thread completes all futures",
                        "ASY-6",
                        Set.of("completion"),
                        (lane, lab) -> new Serial(lab)),
                hearing("O01", "how long a lease was held is not told", "OBS-1", told -> event -> {
                    if (event instanceof LockEvent.Released released) {
                        told.hear(new LockEvent.Released(released.lockName(), released.outcome(), Duration.ZERO));
                    } else {
                        told.hear(event);
                    }
                }),
                hearing("O02", "each look at a lock that is taken is told", "OBS-2", told -> event -> {
                    told.hear(event);
                    if (event instanceof LockEvent.Contended) {
                        told.hear(event);
                    }
                }),
                hearing("O03", "a loss is told when the release finds it", "OBS-3", told -> {
                    Queue<LockEvent> losses = new ConcurrentLinkedQueue<>();
                    return event -> {
                        if (event instanceof LockEvent.Lost) {
                            losses.add(event);
                        } else {
                            told.hear(event);
                            losses.forEach(told::hear);
                            losses.clear();
                        }
                    };
                }),
                lanes(
                        "O04",
                        "listeners are told in passing",
                        "OBS-4",
                        Set.of("listener-0", "listener-1", "listener-2"),
                        (lane, lab) -> Runnable::run),
                lanes(
                        "F094",
                        "asynchronous waiters leave threads behind",
                        "LIF-6",
                        Set.of("head"),
                        (lane, lab) -> task -> {
                            lane.execute(task);
                            leaveAThread();
                        }),
                ofEngine(
                        "L03",
                        "closing waits for no holder",
                        "LIF-3",
                        (backend, options, lab) -> LockManager.of(backend, options.withCloseGrace(Duration.ZERO))),
                ofEngine(
                        "M75",
                        "renewal goes on after closing",
                        "LIF-4",
                        (backend, options, lab) -> LockManager.of(new Renewing(backend, lab, When.CLOSED), options)),
                ofEngine(
                        "L08",
                        "renewal goes on after the maximum hold",
                        "LOS-8",
                        (backend, options, lab) -> LockManager.of(new Renewing(backend, lab, When.RENEWED), options)),
                above("M78", "every name is remembered", "LIF-7", backend -> new Wrong(backend) {
                    private final Map<String, LockRequest> seen = new ConcurrentHashMap<>();

                    @Override
                    public Acquisition tryAcquire(LockRequest request) {
                        seen.put(request.name().value(), request);
                        return super.tryAcquire(request);
                    }
                }),
                workers(
                        "L07",
                        "the end of a lease is not watched",
                        "LOS-7",
                        (workers, lab) -> new WrongClock.WrongWorkers(workers) {
                            @Override
                            public LockClock.Scheduled after(Duration delay, Runnable task) {
                                return () -> {};
                            }
                        }),
                lanes("L10", "a loss is told twice", "LOS-10", Set.of("callback"), (lane, lab) -> task -> {
                    lane.execute(task);
                    lane.execute(task);
                }),
                ofEngine(
                        "M69",
                        "an interrupt during a release is lost",
                        "REL-6",
                        (backend, options, lab) ->
                                LockManager.of(backend, options.withClock(new WrongClock(options.clock()) {
                                    @Override
                                    public long nanoTime() {
                                        EngineMutants.swallowInterrupt();
                                        return correct.nanoTime();
                                    }
                                }))));
    }

    private static Mutant workers(
            String id, String defect, String rule, BiFunction<LockClock.Workers, Lab, LockClock.Workers> wrong) {
        return ofEngine(
                id,
                defect,
                rule,
                (backend, options, lab) -> LockManager.of(backend, options.withClock(new WrongClock(options.clock()) {
                    @Override
                    public Workers newWorkers(String name) {
                        return wrong.apply(correct.newWorkers(name), lab);
                    }
                })));
    }

    private static void leaveAThread() {
        Thread left = new Thread(() -> LockSupport.parkNanos(MINUTE.toNanos()), "left-over");
        left.setDaemon(true);
        left.start();
    }

    private static Mutant lanes(
            String id, String defect, String rule, Set<String> names, BiFunction<Executor, Lab, Executor> wrong) {
        return workers(id, defect, rule, (workers, lab) -> new WrongClock.WrongWorkers(workers) {
            @Override
            public Executor lane(String name, int threads) {
                Executor lane = super.lane(name, threads);
                return names.contains(name) ? wrong.apply(lane, lab) : lane;
            }
        });
    }

    /** Passes on, or not, what a listener is told. */
    private interface Telling {
        void hear(LockEvent event);
    }

    private static Mutant hearing(String id, String defect, String rule, Function<Telling, Telling> wrong) {
        return ofEngine(id, defect, rule, (backend, options, lab) -> {
            List<LockListener> seeded = new ArrayList<>();
            for (LockListener listener : options.listeners()) {
                Telling told = wrong.apply(event -> tell(listener, event));
                seeded.add(new Ear() {
                    @Override
                    void hear(LockEvent event) {
                        told.hear(event);
                    }
                });
            }
            return LockManager.of(
                    backend,
                    new ManagerOptions(
                            options.label(), options.answerWithin(), options.closeGrace(), options.clock(), seeded));
        });
    }

    private static void tell(LockListener listener, LockEvent event) {
        if (listener instanceof Ear ear) {
            ear.hear(event);
        }
    }

    /** A timer whose every task waits on a thread. */
    private static final class Threads extends WrongClock.WrongWorkers {

        private final Lab lab;

        Threads(LockClock.Workers correct, Lab lab) {
            super(correct);
            this.lab = lab;
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for a timer
        public LockClock.Scheduled after(Duration delay, Runnable task) {
            LockClock.Pause pause = lab.clock.newPause();
            long start = lab.clock.nanoTime();
            lab.clock.fork(() -> {
                pause.await(delay);
                if (lab.clock.nanoTime() - start >= delay.toNanos()) {
                    task.run();
                }
                return delay;
            });
            return pause::wake;
        }
    }

    /** One task after another; those that wait do not stop the clock. */
    private static final class Serial implements Executor {

        private final Lab lab;
        private final Queue<Runnable> tasks = new ArrayDeque<>();
        private boolean running;

        Serial(Lab lab) {
            this.lab = lab;
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for a lane
        public synchronized void execute(Runnable task) {
            tasks.add(task);
            if (!running) {
                running = true;
                lab.clock.fork(() -> {
                    for (Runnable next = next(); next != null; next = next()) {
                        next.run();
                    }
                    return true;
                });
            }
        }

        private synchronized Runnable next() {
            Runnable next = tasks.poll();
            running = next != null;
            return next;
        }
    }

    private enum When {
        RENEWED,
        CLOSED
    }

    /** Renews on for ever what it has renewed, or what is held when it is closed. */
    private static final class Renewing extends Wrong {

        private final Lab lab;
        private final When when;
        private final Map<LockRequest, Boolean> held = new ConcurrentHashMap<>();

        Renewing(LockBackend correct, Lab lab, When when) {
            super(correct);
            this.lab = lab;
            this.when = when;
        }

        @Override
        public Acquisition tryAcquire(LockRequest request) {
            Acquisition answer = super.tryAcquire(request);
            if (answer instanceof Acquisition.Granted) {
                held.put(request, true);
            }
            return answer;
        }

        @Override
        public Ownership renew(LockRequest request) {
            if (when == When.RENEWED) {
                forEver(lab.client(), request);
            }
            return super.renew(request);
        }

        @Override
        public void close() {
            super.close();
            if (when == When.CLOSED) {
                held.keySet().forEach(request -> forEver(lab.client(), request));
            }
        }

        private void forEver(LockBackend client, LockRequest request) {
            lab.clock.newWorkers("left").after(request.ttl().dividedBy(3), () -> {
                if (client.renew(request) == Ownership.HELD) {
                    forEver(client, request);
                }
            });
        }
    }
}
