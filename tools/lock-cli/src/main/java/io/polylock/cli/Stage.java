// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import io.polylock.cli.WorkerEvent.Kind;
import io.polylock.cli.WorkerProcess.Heard;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * The workers, and everything that they tell, in one thread.
 */
final class Stage {

    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final Duration START_LIMIT = Duration.ofSeconds(60);

    /** Younger than this, word of a worker is taken for news. */
    private static final Duration FRESH = Duration.ofMillis(100);

    /** How long a stopped worker's last words may take to us. */
    private static final Duration SETTLE = Duration.ofMillis(60);

    /** A worker that is at its work. */
    record Working(WorkerProcess worker, long heldSinceNanos) {}

    private final DemoFiles files;
    private final Chronicle chronicle;
    private final Narrator narrator;
    private final BlockingQueue<Heard> heard = new LinkedBlockingQueue<>();
    private final List<WorkerProcess> workers = new ArrayList<>();
    private final List<Stopped> stopped = new ArrayList<>();
    private final Set<Integer> greeted = new HashSet<>();
    private final Set<Integer> ended = new HashSet<>();
    private final Set<Integer> mayEnd = new HashSet<>();
    private Optional<Working> news = Optional.empty();
    private boolean clocksAgree = true;
    private boolean closed;
    private long startNanos;

    Stage(DemoFiles files, Chronicle chronicle, Narrator narrator) {
        this.files = files;
        this.chronicle = chronicle;
        this.narrator = narrator;
    }

    /** Starts the workers and waits until all have greeted. */
    void open(DemoPlan plan) throws IOException, InterruptedException {
        startNanos = System.nanoTime();
        for (int number = 1; number <= plan.workers(); number++) {
            synchronized (this) {
                if (closed) {
                    throw new InterruptedException("the demo ends");
                }
                workers.add(WorkerProcess.start(number, plan, files, heard::add));
            }
        }
        if (!listen(START_LIMIT, () -> greeted.size() == plan.workers())) {
            throw new DemoFailure("the workers did not start within " + START_LIMIT.toSeconds() + " s");
        }
    }

    /** Whether the clocks of the workers can be compared with ours, and so with one another. */
    boolean clocksAgree() {
        return clocksAgree;
    }

    /** Takes up what the workers tell, for this long. */
    void listen(Duration length) throws InterruptedException {
        listen(length, () -> false);
    }

    /** Takes up what the workers tell until something is so. False if it was not so in time. */
    boolean listen(Duration longest, BooleanSupplier until) throws InterruptedException {
        long start = System.nanoTime();
        while (!until.getAsBoolean()) {
            long left = longest.toNanos() - (System.nanoTime() - start);
            Heard next = left <= 0 ? null : heard.poll(left, TimeUnit.NANOSECONDS);
            if (next == null) {
                return false;
            }
            take(next);
        }
        return true;
    }

    /** The next worker that begins its work from now on. */
    Working nextWorking(Predicate<WorkerProcess> wanted) throws InterruptedException {
        news = Optional.empty();
        if (!listen(LIMIT, () -> news.filter(now -> wanted.test(now.worker())).isPresent())) {
            throw new DemoFailure("no worker got the lock within " + LIMIT.toSeconds() + " s");
        }
        return news.orElseThrow();
    }

    /** Stops a worker in the middle of its work; empty if it had finished when the signal came. */
    Optional<Stopped> stop(Working working) throws InterruptedException {
        Stopped stop;
        synchronized (this) {
            if (closed) {
                throw new InterruptedException("the demo ends");
            }
            stop = Stopped.process(working.worker().pid());
            stopped.add(stop);
        }
        listen(SETTLE);
        if (chronicle.isWorking(working.worker().number(), working.heldSinceNanos())) {
            return Optional.of(stop);
        }
        stop.resume();
        return Optional.empty();
    }

    /** Kills a worker and waits until it is gone. */
    void kill(WorkerProcess worker) throws InterruptedException {
        mayEnd.add(worker.number());
        worker.kill();
        if (!listen(LIMIT, () -> ended.contains(worker.number()))) {
            throw new DemoFailure(Narrator.name(worker.number()) + " did not die of SIGKILL");
        }
    }

    /** Lets all workers end in order. */
    void finish() throws InterruptedException {
        for (WorkerProcess worker : workers) {
            mayEnd.add(worker.number());
            worker.send(WorkerCommand.STOP);
        }
        if (!listen(LIMIT, () -> ended.size() == workers.size())) {
            throw new DemoFailure("a worker did not end within " + LIMIT.toSeconds() + " s");
        }
    }

    /** Ends all workers at once, stopped ones too; may be called from another thread, and again. */
    synchronized void endAll() {
        closed = true;
        workers.forEach(WorkerProcess::kill);
        stopped.forEach(Stopped::resume);
        try {
            for (WorkerProcess worker : workers) {
                worker.endsWithin(LIMIT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void take(Heard next) {
        int number = next.worker();
        if (next.event().isEmpty()) {
            ended.add(number);
            chronicle.ended(number);
            if (!mayEnd.contains(number)) {
                throw new DemoFailure(Narrator.name(number) + " ended before its time" + lastWords(number));
            }
            return;
        }
        WorkerEvent event = next.event().get();
        narrator.tell(number, event, chronicle.add(number, event));
        long now = System.nanoTime();
        if (event.kind() == Kind.HELLO) {
            greeted.add(number);
            clocksAgree &= startNanos <= event.nanos() && event.nanos() <= now;
        } else if (event.kind() == Kind.INSIDE && now - event.nanos() < FRESH.toNanos()) {
            chronicle.heldSince(number).ifPresent(since -> {
                news = Optional.of(new Working(workers.get(number - 1), since));
            });
        }
    }

    private String lastWords(int number) {
        try {
            return Files.readString(files.log(number), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank())
                    .findFirst()
                    .map(line -> ": " + line)
                    .orElse("");
        } catch (IOException unreadable) {
            return "";
        }
    }
}
