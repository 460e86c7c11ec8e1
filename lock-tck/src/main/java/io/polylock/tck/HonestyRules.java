// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.polylock.Lease;
import io.polylock.LockBackendException;
import io.polylock.LockManager;
import io.polylock.spi.Acquisition;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** HON: what a holder may believe. */
abstract class HonestyRules extends Rules {

    HonestyRules(Supplier<Stage> stage) {
        super(stage);
    }

    /** Takes a while to answer; the request itself is done at once. */
    private Tampered.Fault slow(Duration delay) {
        return new Tampered.Fault() {
            @Override
            public <T> T around(Supplier<T> request) {
                T answer = request.get();
                stage().elapse(delay);
                return answer;
            }
        };
    }

    private static Duration drift(Duration ttl) {
        return ttl.dividedBy(100).plusMillis(2);
    }

    @Test
    @DisplayName(
            "HON-1 MUST promise a validity of at least the TTL minus drift minus the measured trip, so that promising little wins nothing")
    void hon1_promisesWhatItCan() throws Exception {
        LockManager manager = stage().manager();
        Duration ttl = Duration.ofSeconds(20);
        for (int i = 0; i < 20; i++) {
            long start = stage().nanos();
            Lease lease = got(stage().fixed(manager, stage().name(), ttl).tryAcquire());
            Duration remaining = lease.remaining();
            Duration trip = stage().since(start);

            Duration least = ttl.minus(drift(ttl)).minus(trip).minusNanos(2_000);
            assertTrue(remaining.compareTo(least) >= 0, remaining + " is less than TTL - drift - trip = " + least);
            lease.close();
        }
    }

    @Test
    @DisplayName("HON-2 MUST NOT promise more than the TTL minus drift, counted from before the request was sent")
    void hon2_promisesNoMoreThanItHas() throws Exception {
        Tampered backend = stage().tampered();
        LockManager manager = stage().manager(backend);
        Duration ttl = Duration.ofSeconds(20);
        Duration delay = Duration.ofMillis(300);
        backend.onAcquire = slow(delay);

        Stage.Worker<Duration> holder = stage().fork(() ->
                got(stage().fixed(manager, stage().name(), ttl).tryAcquire()).remaining());

        Duration most = ttl.minus(drift(ttl)).minus(delay);
        Duration remaining = stage().join(holder, Stage.SOON);
        assertTrue(remaining.compareTo(most) <= 0, remaining + " is more than TTL - drift - delay = " + most);
    }

    @Test
    @DisplayName("HON-3 MUST NOT say held after the store has given the lock to somebody else")
    void hon3_neverBelievesLongerThanTheStoreKeeps() throws Exception {
        LockBackend other = stage().backend();
        LockManager manager = stage().manager();
        for (int round = 0; round < 3; round++) {
            String name = stage().name();
            Lease lease = got(stage().fixed(manager, name, Stage.TTL).tryAcquire());
            LockRequest successor = stage().request(name, Stage.LONG_TTL);
            stage().elapse(Stage.TTL.minusMillis(15));
            while (other.tryAcquire(successor) instanceof Acquisition.Contended) {
                stage().elapse(Duration.ofNanos(200_000));
            }
            assertFalse(lease.isHeld(), "two holders believe that they hold the lock");
        }
    }

    @Test
    @DisplayName("HON-4 MUST count a renewed validity from before the renewal was sent")
    void hon4_aRenewalCountsFromBeforeItWasSent() throws Exception {
        Tampered backend = stage().tampered();
        Duration ttl = Duration.ofSeconds(3);
        Duration delay = Duration.ofMillis(700);
        Lease lease =
                got(stage().manager(backend).lock(stage().name()).withTtl(ttl).tryAcquire());
        backend.onRenew = slow(delay);

        Duration before = lease.remaining();
        Duration[] last = {before};
        stage().eventually("the lease is renewed", Stage.SOON, () -> {
            Duration now = lease.remaining();
            boolean jumped = now.compareTo(last[0]) > 0;
            last[0] = now;
            return jumped;
        });

        Duration most = ttl.minus(drift(ttl)).minus(delay);
        assertTrue(last[0].compareTo(most) <= 0, last[0] + " is more than TTL - drift - delay = " + most);
        backend.onRenew = Tampered.Fault.NONE;
        lease.release();
    }

    @Test
    @DisplayName(
            "HON-5 MUST NOT hand out a lease whose validity was over when the grant arrived, and MUST give it back")
    void hon5_aLateGrantIsGivenBack() throws Exception {
        Tampered backend = stage().tampered();
        LockManager manager = stage().manager(backend);
        String name = stage().name();
        Duration ttl = Duration.ofSeconds(2);
        backend.onAcquire = slow(Duration.ofMillis(400));

        Stage.Worker<Optional<Lease>> late = stage().fork(() -> stage().fixed(manager, name, ttl)
                .withMinValidity(Duration.ofMillis(1_700))
                .tryAcquire());
        assertEquals(
                LockBackendException.class, stage().failure(late, Stage.SOON).getClass(), "what a late grant leads to");
        assertTrue(stage().isFree(stage().backend(), name), "the late grant was not given back");

        backend.onAcquire = slow(Duration.ofMillis(250));
        Stage.Worker<Optional<Lease>> dead = stage().fork(() ->
                stage().fixed(manager, name, Duration.ofMillis(200)).tryAcquire());
        assertEquals(
                LockBackendException.class, stage().failure(dead, Stage.SOON).getClass(), "what a dead grant leads to");
    }

    @Test
    @DisplayName("HON-6 MUST NOT say held after the machine slept, until a renewal has confirmed the lease")
    void hon6_asksAgainAfterTheMachineSlept() throws Exception {
        Duration ttl = Stage.RENEWED_TTL;
        Lease lease = got(stage().manager().lock(stage().name()).withTtl(ttl).tryAcquire());
        assertTrue(lease.isHeld());

        stage().moveWallClock(ttl.multipliedBy(2));

        assertFalse(lease.isHeld(), "the wall clock ran ahead by two TTLs");
        assertEquals(Duration.ZERO, lease.remaining());
        stage().eventually("a renewal confirms the lease", ttl, lease::isHeld);
        lease.close();
    }

    @Test
    @DisplayName("HON-7 MUST NOT believe longer because the wall clock went back")
    void hon7_theWallClockProlongsNothing() throws Exception {
        Lease lease =
                got(stage().fixed(stage().manager(), stage().name(), Stage.TTL).tryAcquire());

        stage().moveWallClock(Duration.ofHours(-1));

        assertTrue(lease.isHeld());
        stage().elapse(Stage.TTL);
        assertFalse(lease.isHeld(), "held after its TTL");
    }
}
