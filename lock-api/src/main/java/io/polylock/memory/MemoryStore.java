// SPDX-License-Identifier: Apache-2.0
package io.polylock.memory;

import io.polylock.spi.LockClock;
import java.time.Duration;
import java.util.Objects;

/**
 * A store of locks inside the JVM, with the faults that real stores have. Any number of {@link MemoryLockBackend}s are its
 * clients. Thread-safe.
 */
public final class MemoryStore {

    /** What becomes of requests. */
    public enum Network {
        /** Requests arrive and answers come back. */
        UP,
        /** No connection: requests fail, certainly not applied. */
        REFUSES,
        /** Requests are lost on the way: the client cannot know. */
        LOSES_REQUESTS,
        /** Requests are applied and the answers are lost: the client cannot know. */
        LOSES_REPLIES
    }

    private final MemoryRecords records;
    private final MemorySignals signals = new MemorySignals();
    private volatile Network network = Network.UP;

    private MemoryStore(LockClock clock, Duration retention) {
        this.records = new MemoryRecords(clock, retention);
    }

    /**
     * An empty store.
     *
     * @param clock what its own clock follows
     */
    public static MemoryStore on(LockClock clock) {
        return new MemoryStore(Objects.requireNonNull(clock, "clock"), Duration.ofHours(1));
    }

    /** What becomes of requests from now on. */
    public void setNetwork(Network now) {
        network = Objects.requireNonNull(now, "network");
    }

    /** Loses everything, as a restart without data does: locks, fencing counters and the incarnation. */
    public void restartEmpty() {
        records.clear();
    }

    /**
     * Loses one lock but not its fencing counter, as an eviction does.
     *
     * @param name the name of the lock
     */
    public void evict(String name) {
        records.dropLock(name);
    }

    /**
     * Loses one fencing counter.
     *
     * @param name the name of the lock
     */
    public void dropCounter(String name) {
        records.dropCounter(name);
    }

    /**
     * Moves the store's clock, and keeps it that far from the clock it follows.
     *
     * @param offset how far, forward or back
     */
    public void moveClock(Duration offset) {
        records.moveClock(offset);
    }

    /** How many locks and fencing counters are kept. */
    public int size() {
        return records.size();
    }

    MemoryRecords records() {
        return records;
    }

    MemorySignals signals() {
        return signals;
    }

    Network network() {
        return network;
    }
}
