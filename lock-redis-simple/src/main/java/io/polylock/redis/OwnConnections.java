// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import io.polylock.spi.BackendUrl;
import java.io.IOException;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.Connection;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.Protocol;

/**
 * The connections of a backend that was opened by URL. Jedis's own pool cannot keep a deadline: it connects under fixed
 * timeouts, one for each step of the handshake, and ends a broken connection by making a new one on the caller's thread.
 */
final class OwnConnections implements Connections {

    /** Firewalls and servers drop idle connections; those that were idle this long are not worth a doubtful request. */
    private static final long LONGEST_IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final BackendUrl.Host address;
    private final JedisClientConfig handshake;
    private final Semaphore slots;
    private final Deque<Idle> idle = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    private record OwnWire(Connection connection, DeadlineSocket socket) implements Wire {

        @Override
        public void endBy(Deadline deadline) {
            socket.endBy(deadline);
        }
    }

    private record Idle(OwnWire wire, long sinceNanos) {

        boolean isTooOld() {
            return System.nanoTime() - sinceNanos > LONGEST_IDLE_NANOS;
        }
    }

    OwnConnections(BackendUrl.Host address, JedisClientConfig handshake, int most) {
        this.address = address;
        this.handshake = handshake;
        this.slots = new Semaphore(most, true);
    }

    @Override
    public Wire take(Deadline deadline) {
        takeSlot(deadline);
        boolean taken = false;
        try {
            Wire wire = youngestIdle().orElseGet(() -> connect(deadline));
            taken = true;
            return wire;
        } finally {
            if (!taken) {
                slots.release();
            }
        }
    }

    @Override
    public void giveBack(Wire wire) {
        idle.addFirst(new Idle((OwnWire) wire, System.nanoTime()));
        Idle oldest = idle.peekLast();
        if (oldest != null && oldest.isTooOld() && idle.remove(oldest)) {
            end(oldest.wire);
        }
        if (closed) {
            discardIdle();
        }
        slots.release();
    }

    @Override
    public void discard(Wire wire) {
        end((OwnWire) wire);
        slots.release();
    }

    @Override
    public void discardIdle() {
        for (Idle each = idle.pollFirst(); each != null; each = idle.pollFirst()) {
            end(each.wire);
        }
    }

    @Override
    public String place() {
        return "Redis at " + address;
    }

    @Override
    public void close() {
        closed = true;
        discardIdle();
    }

    private void takeSlot(Deadline deadline) {
        try {
            // the first form takes a free slot also on an interrupted thread, which may have something to release
            if (!slots.tryAcquire() && !slots.tryAcquire(deadline.leftNanos(), TimeUnit.NANOSECONDS)) {
                throw RedisErrors.allInUse(place(), null);
            }
        } catch (InterruptedException e) {
            throw RedisErrors.interrupted(place(), e);
        }
    }

    private Optional<Wire> youngestIdle() {
        for (Idle each = idle.pollFirst(); each != null; each = idle.pollFirst()) {
            if (!each.isTooOld()) {
                return Optional.of(each.wire);
            }
            end(each.wire);
        }
        return Optional.empty();
    }

    private Wire connect(Deadline deadline) {
        DeadlineSocket socket;
        try {
            socket = DeadlineSocket.connect(address.name(), address.port().orElse(Protocol.DEFAULT_PORT), deadline);
        } catch (IOException e) {
            throw RedisErrors.noConnection(place(), e);
        }
        try {
            return new OwnWire(new Connection(() -> socket, handshake), socket);
        } catch (RuntimeException e) {
            end(socket);
            throw RedisErrors.noConnection(place(), e);
        }
    }

    private static void end(OwnWire wire) {
        end(wire.socket);
    }

    private static void end(DeadlineSocket socket) {
        try {
            socket.close();
        } catch (IOException ignored) {
            // it is of no use to anybody any more
        }
    }
}
