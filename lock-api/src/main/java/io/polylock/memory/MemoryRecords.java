// SPDX-License-Identifier: Apache-2.0
package io.polylock.memory;

import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.internal.Checks;
import io.polylock.spi.Acquisition;
import io.polylock.spi.Fencing;
import io.polylock.spi.Holder;
import io.polylock.spi.Inspection.Page;
import io.polylock.spi.LockClock;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import io.polylock.spi.Ownership;
import io.polylock.spi.Vote;
import io.polylock.spi.Vote.Refused.Reason;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a store remembers, and the atomic steps on it: the rules of the specification in their plainest form. Every step
 * judges time by the store's clock alone. Thread-safe.
 */
final class MemoryRecords {

    private static final int SWEEP_EVERY = 256;

    private final LockClock clock;
    private final long epochAtStart;
    private final long nanosAtStart;
    private final long retentionMicros;
    private final Map<String, Lock> locks = new TreeMap<>();
    private final Map<String, Counter> counters = new TreeMap<>();
    private @Nullable Incarnation incarnation;
    private long offsetMicros;
    private int steps;

    record Lock(OwnerToken owner, String label, long expiresMicros) {}

    record Counter(long token, long keepUntilMicros) {}

    record Incarnation(String id, long sinceMicros) {}

    /** All that is remembered at one moment, so that a search can come back to it. Its clock is not part of it. */
    record Image(Map<String, Lock> locks, Map<String, Counter> counters, Optional<Incarnation> incarnation) {}

    MemoryRecords(LockClock clock, Duration retention) {
        this.clock = clock;
        this.epochAtStart = clock.epochMicros();
        this.nanosAtStart = clock.nanoTime();
        this.retentionMicros = micros(retention);
    }

    synchronized Acquisition acquire(LockRequest request) {
        Optional<Lock> held = held(request.name().value());
        if (held.isPresent() && !held.get().owner.equals(request.owner())) {
            return new Acquisition.Contended(Optional.of(freeIn(held.get())));
        }
        return new Acquisition.Granted(OptionalLong.of(grant(request, held)));
    }

    synchronized Ownership renew(LockRequest request) {
        Ownership ownership = ownership(request);
        if (ownership == Ownership.HELD) {
            String name = request.name().value();
            store(request, held(name));
            Optional.ofNullable(counters.get(name)).ifPresent(counter -> remember(name, counter.token));
        }
        return ownership;
    }

    synchronized Ownership release(LockRequest request) {
        Ownership ownership = ownership(request);
        if (ownership == Ownership.HELD) {
            locks.remove(request.name().value());
        }
        return ownership;
    }

    synchronized Acquisition handOver(OwnerToken giver, LockRequest heir) {
        Optional<Lock> held = held(heir.name().value());
        if (held.isPresent()
                && (held.get().owner.equals(giver) || held.get().owner.equals(heir.owner()))) {
            return new Acquisition.Granted(OptionalLong.of(grant(heir, held)));
        }
        return new Acquisition.Contended(held.map(this::freeIn));
    }

    synchronized Vote.Join join(LockRequest request, Optional<OwnerToken> giver) {
        Optional<Lock> held = held(request.name().value());
        if (held.isPresent()
                && !held.get().owner.equals(request.owner())
                && !giver.equals(Optional.of(held.get().owner))) {
            return new Acquisition.Contended(Optional.of(freeIn(held.get())));
        }
        long token = grant(request, held);
        Incarnation memory = incarnation;
        if (memory == null) {
            memory = new Incarnation(UUID.randomUUID().toString(), nowMicros());
            incarnation = memory;
        }
        long age = Math.max(0, nowMicros() - memory.sinceMicros);
        return new Vote.Joined(token, memory.id, Duration.of(age, ChronoUnit.MICROS), nowMicros());
    }

    synchronized Vote.Confirmation confirm(LockRequest request, String joined, long token, Duration maxSkew) {
        if (ownership(request) != Ownership.HELD) {
            return new Vote.Refused(Reason.NOT_OWNER);
        }
        String name = request.name().value();
        requireSmall(token, name);
        Counter counter = counters.get(name);
        if (counter == null || incarnation == null || !incarnation.id.equals(joined)) {
            return new Vote.Refused(Reason.FORGOTTEN);
        }
        if (counter.token > token) {
            return new Vote.Refused(Reason.OUTDATED);
        }
        if (token - nowMicros() > micros(maxSkew)) {
            return new Vote.Refused(Reason.AHEAD_OF_CLOCK);
        }
        remember(name, token);
        return new Vote.Confirmed();
    }

    synchronized Optional<Holder> inspect(String name) {
        return held(name).map(lock -> holder(name, lock));
    }

    synchronized Page list(Optional<String> after, int limit) {
        List<Holder> holders = new ArrayList<>();
        for (String name : locks.keySet()) {
            if (after.isEmpty() || name.compareTo(after.get()) > 0) {
                held(name).ifPresent(lock -> holders.add(holder(name, lock)));
            }
            if (holders.size() == limit) {
                return new Page(holders, Optional.of(name));
            }
        }
        return new Page(holders, Optional.empty());
    }

    synchronized Optional<Holder> revoke(String name) {
        Optional<Holder> holder = inspect(name);
        locks.remove(name);
        return holder;
    }

    synchronized void clear() {
        locks.clear();
        counters.clear();
        incarnation = null;
    }

    synchronized void dropLock(String name) {
        locks.remove(name);
    }

    synchronized void dropCounter(String name) {
        counters.remove(name);
    }

    synchronized void moveClock(Duration offset) {
        offsetMicros += micros(offset);
    }

    synchronized int size() {
        return locks.size() + counters.size();
    }

    synchronized Image image() {
        return new Image(Map.copyOf(locks), Map.copyOf(counters), Optional.ofNullable(incarnation));
    }

    synchronized void become(Image image) {
        clear();
        locks.putAll(image.locks);
        counters.putAll(image.counters);
        incarnation = image.incarnation.orElse(null);
        steps = 0;
    }

    /** Stores the lock; the token is a new one unless this owner has it already. */
    private long grant(LockRequest request, Optional<Lock> held) {
        sweep();
        String name = request.name().value();
        Counter counter = counters.get(name);
        boolean repeated = held.isPresent() && held.get().owner.equals(request.owner());
        long token = repeated && counter != null
                ? counter.token
                : Math.max(counter == null ? 0 : counter.token + 1, nowMicros());
        requireSmall(token, name);
        store(request, repeated ? held : Optional.empty());
        remember(name, token);
        return token;
    }

    private static void requireSmall(long token, String name) {
        if (token >= Fencing.TOKEN_LIMIT) {
            throw new LockBackendException(
                    Outcome.REFUSED, "the fencing counter of lock '" + name + "' has reached 2^53 and cannot grow");
        }
    }

    /** A repeated request may come late, so it never brings the end nearer. */
    private void store(LockRequest request, Optional<Lock> own) {
        long expires = Math.max(
                nowMicros() + micros(request.ttl()),
                own.map(Lock::expiresMicros).orElse(0L));
        locks.put(request.name().value(), new Lock(request.owner(), request.label(), expires));
    }

    private void remember(String name, long token) {
        long leaseEnd =
                Optional.ofNullable(locks.get(name)).map(Lock::expiresMicros).orElse(0L);
        counters.put(name, new Counter(token, Math.max(leaseEnd, token) + retentionMicros));
    }

    private Ownership ownership(LockRequest request) {
        return held(request.name().value())
                .map(lock -> lock.owner.equals(request.owner()) ? Ownership.HELD : Ownership.OTHER_OWNER)
                .orElse(Ownership.ABSENT);
    }

    private Optional<Lock> held(String name) {
        return Optional.ofNullable(locks.get(name)).filter(lock -> lock.expiresMicros > nowMicros());
    }

    private Duration freeIn(Lock lock) {
        return Duration.of(lock.expiresMicros - nowMicros(), ChronoUnit.MICROS);
    }

    private Holder holder(String name, Lock lock) {
        Counter counter = counters.get(name);
        return new Holder(
                name,
                lock.owner.toString(),
                Optional.of(lock.label),
                Optional.of(freeIn(lock)),
                counter == null ? OptionalLong.empty() : OptionalLong.of(counter.token));
    }

    /** Nothing grows for ever with the number of names. */
    private void sweep() {
        if (++steps % SWEEP_EVERY == 0) {
            long now = nowMicros();
            locks.values().removeIf(lock -> lock.expiresMicros <= now);
            counters.values().removeIf(counter -> counter.keepUntilMicros <= now);
        }
    }

    private long nowMicros() {
        return epochAtStart + (clock.nanoTime() - nanosAtStart) / 1_000 + offsetMicros;
    }

    /** Rounded up, so that a lease never ends early. */
    private static long micros(Duration duration) {
        return -Math.floorDiv(-Checks.saturatedNanos(duration), 1_000L);
    }
}
