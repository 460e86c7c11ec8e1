// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import io.polylock.DistributedLock;
import io.polylock.Lease;
import io.polylock.LeaseLostException;
import io.polylock.LockBackendException;
import io.polylock.LockTimeoutException;
import io.polylock.cli.WorkerEvent.Kind;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * One who wants the lock again and again, and under it does what only one at a time may do: reads a number, thinks, and
 * writes the next one. It tells all of it in {@link WorkerEvent}s. Interrupted, it ends and holds nothing. Used by one thread.
 */
final class Worker {

    private static final Duration WAIT = Duration.ofMinutes(1);
    private static final long LOOK_MILLIS = 25;

    private final DistributedLock lock;
    private final CounterFile counter;
    private final FencedLedger ledger;
    private final Duration thinking;
    private final PrintStream out;

    Worker(DistributedLock lock, CounterFile counter, FencedLedger ledger, Duration thinking, PrintStream out) {
        this.lock = lock;
        this.counter = counter;
        this.ledger = ledger;
        this.thinking = thinking;
        this.out = out;
    }

    void run() throws IOException {
        tell(Kind.HELLO, 0, 0, "");
        try {
            while (true) {
                once();
                rest(thinking.dividedBy(2));
            }
        } catch (InterruptedException asked) {
            tell(Kind.BYE, 0, 0, "");
        }
    }

    private void once() throws IOException, InterruptedException {
        long asked = System.nanoTime();
        long token = 0;
        tell(Kind.WAITING, 0, 0, "");
        try (Lease lease = lock.acquire(WAIT)) {
            long got = System.nanoTime();
            token = lease.fencingToken().orElse(0);
            tell(Kind.ACQUIRED, got, token, got - asked, "");
            hold(lease, token);
        } catch (LeaseLostException e) {
            tell(Kind.TOLD, token, 0, "LeaseLostException: " + e.getMessage());
        } catch (LockTimeoutException e) {
            tell(Kind.FAILED, 0, 0, String.valueOf(e.getMessage()));
        } catch (LockBackendException e) {
            tell(Kind.FAILED, 0, 0, String.valueOf(e.getMessage()));
            rest(Duration.ofMillis(200));
        }
    }

    private void hold(Lease lease, long token) throws IOException, InterruptedException {
        lease.onLost(cause -> tell(Kind.LOST, token, 0, cause.name()));
        try {
            tellValidity(lease, token);
            long value = counter.read();
            tell(Kind.INSIDE, token, value, "");
            think(lease, token);
            tell(Kind.LEAVING, token, 0, "");
            if (lease.isHeld()) {
                counter.write(value + 1);
                tell(Kind.WROTE, token, value + 1, "");
            } else {
                tell(Kind.REFRAINED, token, 0, "");
            }
            enter(token); // whether held or not: the ledger knows better than to trust its writers
        } finally {
            long now = System.nanoTime();
            if (lease.isHeld()) {
                tell(Kind.RELEASING, now, token, 0, "");
            }
        }
    }

    private void think(Lease lease, long token) throws InterruptedException {
        long nanos = ThreadLocalRandom.current().nextLong(thinking.toNanos(), thinking.toNanos() * 3 / 2);
        long start = System.nanoTime();
        while (System.nanoTime() - start < nanos) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            tellValidity(lease, token);
        }
    }

    /** Reads the clock first, so that the validity it tells is never longer than what the lease promises. */
    private void tellValidity(Lease lease, long token) {
        long now = System.nanoTime();
        long left = lease.remaining().toNanos();
        if (left > 0) {
            tell(Kind.STILL, now, token, now + left, "");
        }
    }

    private void enter(long token) throws IOException {
        if (token > 0) {
            OptionalLong newer = ledger.append(token, "entry");
            tell(newer.isPresent() ? Kind.FENCED : Kind.ENTERED, token, newer.orElse(0), "");
        }
    }

    private static void rest(Duration about) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(ThreadLocalRandom.current().nextLong(about.toNanos() / 2, about.toNanos()));
    }

    private void tell(Kind kind, long token, long number, String text) {
        tell(kind, System.nanoTime(), token, number, text);
    }

    /** One write for one line: the lease tells of its loss on another thread. */
    private synchronized void tell(Kind kind, long nanos, long token, long number, String text) {
        out.print(new WorkerEvent(kind, nanos, token, number, text).line() + "\n");
        out.flush();
    }
}
