// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.DistributedLock;
import io.polylock.Lease;
import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.LockManager;
import io.polylock.LossCause;
import io.polylock.ManagerOptions;
import io.polylock.ReleaseOutcome;
import io.polylock.memory.MemoryLockBackend;
import io.polylock.spi.LockRequest;
import io.polylock.spi.Ownership;
import io.polylock.spi.RenewResult;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class SharedRenewalTest {

    private static final Duration INTERVAL = Rig.TTL.dividedBy(3);

    @AutoClose
    private final Rig rig = new Rig();

    private final Map<String, LossCause> losses = new ConcurrentHashMap<>();

    private DistributedLock lock(int number) {
        return rig.manager.lock("shared/" + number);
    }

    private Lease held(DistributedLock lock) {
        Lease lease = rig.held(lock);
        lease.onLost(cause -> losses.put(lease.lockName(), cause));
        return lease;
    }

    private List<Lease> held(int count) {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            leases.add(held(lock(i)));
        }
        return leases;
    }

    private List<Integer> batchSizes() {
        return rig.wire.batches.stream().map(List::size).sorted().toList();
    }

    private Set<String> namesOf(int batch) {
        return rig.wire.batches.get(batch).stream()
                .map(request -> request.name().value())
                .collect(Collectors.toSet());
    }

    /** Answers the first batch so, and the others as the store does. */
    private void firstBatch(Supplier<List<RenewResult>> answer) {
        AtomicInteger asked = new AtomicInteger();
        rig.wire.onRenewAll(step -> asked.getAndIncrement() == 0 ? answer.get() : step.get());
    }

    @Test
    void leasesThatAreDueTogetherShareARequest() {
        held(100);
        rig.clock.advance(INTERVAL);
        assertThat(batchSizes()).containsExactly(100);
        assertThat(rig.wire.renewals).isEmpty();
        rig.clock.advance(Rig.TTL.multipliedBy(10));
        assertThat(rig.wire.batches).hasSizeBetween(31, 35).allSatisfy(batch -> assertThat(batch)
                .hasSize(100));
        assertThat(losses).isEmpty();
    }

    @Test
    void aRequestRenewsAtMost256() {
        held(600);
        rig.clock.advance(INTERVAL);
        assertThat(batchSizes()).containsExactly(88, 256, 256);
    }

    @Test
    void leasesThatComeOneAfterTheOtherMeetInFewRequests() {
        for (int i = 0; i < 100; i++) {
            held(lock(i));
            rig.clock.advance(INTERVAL.dividedBy(100));
        }
        int before = rig.wire.batches.size() + rig.wire.renewals.size();
        rig.clock.advance(INTERVAL);
        assertThat(rig.wire.batches.size() + rig.wire.renewals.size() - before).isLessThanOrEqualTo(13);
        assertThat(losses).isEmpty();
    }

    @Test
    void leasesOfAlikeTtlShareARequestAndOthersDoNot() {
        Duration near = Rig.TTL.plusMillis(1);
        Duration far = Rig.TTL.multipliedBy(4);
        for (int i = 0; i < 10; i++) {
            held(lock(i));
            held(lock(10 + i).withTtl(near));
            held(lock(20 + i).withTtl(far));
        }
        rig.clock.advance(far.multipliedBy(5));
        assertThat(rig.wire.batches).allSatisfy(batch -> {
            Set<Duration> ttls = batch.stream().map(LockRequest::ttl).collect(Collectors.toSet());
            assertThat(ttls).isIn(Set.of(Rig.TTL, near), Set.of(far));
        });
        assertThat(rig.wire.batches).anySatisfy(batch -> assertThat(batch).hasSize(20));
        assertThat(losses).isEmpty();
    }

    @Test
    void oneWithLittleTimeLeavesTheOthersTheirs() {
        held(10);
        held(lock(10).withMaxHold(INTERVAL.plusMillis(1)));
        held(lock(11).withMaxHold(INTERVAL.plusMillis(1)));
        rig.clock.advance(INTERVAL);
        assertThat(rig.wire.batches.stream().filter(batch -> batch.size() == 10))
                .singleElement()
                .satisfies(batch ->
                        assertThat(batch).extracting(LockRequest::answerWithin).containsOnly(Rig.TIMEOUT));
    }

    @Test
    void oneThatIsGoneIsLostAlone() {
        held(10);
        rig.store.evict("shared/3");
        rig.clock.advance(Rig.TTL.multipliedBy(3));
        assertThat(losses).isEqualTo(Map.of("shared/3", LossCause.REVOKED));
    }

    @Test
    void oneWithoutAnAnswerIsTriedAgainAlone() {
        List<Lease> leases = held(10);
        rig.wire.onRenewAll(step -> {
            List<RenewResult> results = new ArrayList<>(step.get());
            results.set(3, new RenewResult.Failed(Wire.noAnswer()));
            return results;
        });
        rig.clock.advance(INTERVAL.plusSeconds(1));
        assertThat(batchSizes()).containsExactly(10);
        assertThat(rig.wire.renewals)
                .singleElement()
                .satisfies(call -> assertThat(call.request().name().value()).isEqualTo("shared/3"));
        rig.clock.advance(Rig.TTL);
        assertThat(leases).allMatch(Lease::isHeld);
    }

    @Test
    void anExceptionOfTheWholeRequestEndsNothing() {
        survives(() -> {
            throw new IllegalStateException("the client is broken");
        });
    }

    @Test
    void anErrorOfTheWholeRequestEndsNothing() {
        survives(() -> {
            throw new NoClassDefFoundError("of the client");
        });
    }

    @Test
    void tooFewResultsAreNone() {
        survives(List::of);
    }

    @Test
    void tooManyResultsAreNone() {
        survives(() -> {
            List<RenewResult> results = new ArrayList<>();
            for (int i = 0; i < 101; i++) {
                results.add(new RenewResult.Answered(Ownership.ABSENT));
            }
            return results;
        });
    }

    private void survives(Supplier<List<RenewResult>> answer) {
        List<Lease> leases = held(100);
        firstBatch(answer);
        rig.clock.advance(Rig.TTL.multipliedBy(3));
        assertThat(leases).allMatch(Lease::isHeld);
        assertThat(losses).isEmpty();
    }

    @Test
    void aSpoiledRequestIsFollowedBySmallerOnesUntilTheSpoilerIsAlone() {
        List<Lease> leases = held(256);
        rig.wire.onRenewAll(step -> {
            if (namesOf(rig.wire.batches.size() - 1).contains("shared/7")) {
                rig.hang(Rig.TIMEOUT);
                throw Wire.noAnswer();
            }
            return step.get();
        });
        rig.wire.onRenew(step -> {
            if (rig.wire
                    .renewals
                    .get(rig.wire.renewals.size() - 1)
                    .request()
                    .name()
                    .value()
                    .equals("shared/7")) {
                throw Wire.noAnswer();
            }
            return step.get();
        });
        rig.clock.advance(Rig.TTL.multipliedBy(3));
        assertThat(losses).isEqualTo(Map.of("shared/7", LossCause.UNREACHABLE));
        assertThat(leases.stream().filter(Lease::isHeld)).hasSize(255);
        assertThat(batchSizes()).contains(16, 256);
    }

    @Test
    void aStoreThatCannotBeReachedIsNotAskedMoreOften() {
        held(256);
        rig.wire.onRenewAll(step -> {
            throw new LockBackendException(Outcome.NOT_APPLIED, "no connection");
        });
        rig.clock.advance(Rig.TTL);
        assertThat(rig.wire.batches).hasSizeLessThanOrEqualTo(22).allSatisfy(batch -> assertThat(batch)
                .hasSize(256));
        assertThat(rig.wire.renewals).isEmpty();
        assertThat(losses).hasSize(256).containsValue(LossCause.UNREACHABLE);
    }

    @Test
    void oneThatNobodyCanReleaseIsLeftOut() throws InterruptedException {
        held(10);
        drop("dropped");
        rig.clock.advance(Rig.TTL.multipliedBy(2));
        assertThat(batchSizes()).containsOnly(10);
        assertThat(losses).isEqualTo(Map.of("dropped", LossCause.EXPIRED));
    }

    private void drop(String name) throws InterruptedException {
        WeakReference<Lease> dropped = new WeakReference<>(unkept(name));
        for (int i = 0; i < 100 && dropped.get() != null; i++) {
            System.gc();
        }
        assertThat(dropped.get()).isNull();
    }

    private Lease unkept(String name) throws InterruptedException {
        Lease lease = rig.manager.lock(name).tryAcquire().orElseThrow();
        lease.onLost(cause -> losses.put(name, cause));
        return lease;
    }

    @Test
    void aReleaseWaitsForTheRequestThatIsOnItsWayAndEndsRenewal() throws Exception {
        List<Lease> leases = held(10);
        rig.wire.onRenewAll(step -> {
            List<RenewResult> results = step.get();
            rig.hang(Duration.ofSeconds(1));
            return results;
        });
        rig.clock.advance(INTERVAL.minus(INTERVAL.dividedBy(10)));
        while (rig.wire.batches.isEmpty()) {
            rig.clock.advance(Duration.ofMillis(10));
        }
        long sent = rig.clock.nanoTime();
        assertThat(rig.run(() -> leases.get(3).release())).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(Duration.ofNanos(rig.clock.nanoTime() - sent))
                .isBetween(Duration.ofMillis(900), Duration.ofSeconds(1));
        rig.clock.advance(Rig.TTL);
        assertThat(rig.wire.batches).hasSizeGreaterThan(2);
        assertThat(batchSizes().subList(0, batchSizes().size() - 1)).containsOnly(9);
        assertThat(losses).isEmpty();
    }

    @Test
    void oneThatIsReleasedWhileItsRenewalWaitsForAThreadIsNotRenewed() throws Exception {
        List<Lease> leases = held(600);
        rig.wire.onRenewAll(step -> {
            rig.hang(Duration.ofSeconds(1));
            return step.get();
        });
        while (rig.wire.batches.isEmpty()) {
            rig.clock.advance(Duration.ofMillis(10));
        }
        assertThat(batchSizes()).containsExactly(256, 256);
        assertThat(rig.run(() -> leases.get(599).release())).isEqualTo(ReleaseOutcome.RELEASED);
        rig.clock.advance(Duration.ofSeconds(2));
        assertThat(batchSizes()).containsExactly(87, 256, 256);
    }

    @Test
    void oneThatIsBeingReleasedIsLeftOutAndKeepsItsTurn() {
        List<Lease> leases = held(10);
        rig.clock.advance(INTERVAL.dividedBy(2));
        rig.wire.onRelease(step -> {
            rig.hang(INTERVAL.plusSeconds(1));
            return step.get();
        });
        CompletableFuture<ReleaseOutcome> release =
                rig.clock.fork(() -> leases.get(3).release());
        rig.clock.advance(INTERVAL);
        assertThat(batchSizes()).containsExactly(9);
        assertThat(release).isNotDone();
        rig.clock.advance(INTERVAL);
        assertThat(release).isCompletedWithValue(ReleaseOutcome.RELEASED);
    }

    @Test
    void aStuckStoreDelaysNoLossAndNoOtherManager() throws InterruptedException {
        Map<String, Duration> told = new ConcurrentHashMap<>();
        for (Lease lease : held(1_000)) {
            lease.onLost(cause -> told.put(lease.lockName(), Duration.ofNanos(rig.clock.nanoTime())));
        }
        rig.wire.onRenewAll(step -> {
            rig.hang(Duration.ofHours(1));
            throw Wire.noAnswer();
        });
        ManagerOptions options = new ManagerOptions("other", Rig.TIMEOUT, Duration.ZERO, rig.clock, List.of());
        try (LockManager healthy = LockManager.of(MemoryLockBackend.of(rig.store), options)) {
            Lease other = healthy.lock("other").tryAcquire().orElseThrow();
            rig.clock.advance(Rig.TTL.multipliedBy(3));
            assertThat(told).hasSize(1_000).allSatisfy((name, at) -> assertThat(at)
                    .isEqualTo(Rig.VALIDITY));
            assertThat(Set.copyOf(losses.values())).containsOnly(LossCause.EXPIRED, LossCause.UNREACHABLE);
            assertThat(other.isHeld()).isTrue();
            other.release();
        }
    }

    @Test
    void aStuckRequestOfLongLeasesDelaysNoShortOnes() {
        held(1_000);
        List<Lease> shortOnes = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            shortOnes.add(held(rig.manager.lock("short/" + i).withTtl(Duration.ofMillis(300))));
        }
        rig.wire.onRenewAll(step -> {
            if (rig.wire.batches.get(rig.wire.batches.size() - 1).get(0).ttl().equals(Rig.TTL)) {
                rig.hang(Rig.TIMEOUT);
                throw Wire.noAnswer();
            }
            return step.get();
        });
        rig.clock.advance(Rig.VALIDITY.minusNanos(1));
        assertThat(shortOnes).allMatch(Lease::isHeld);
        assertThat(losses).isEmpty();
    }

    @Test
    void aStoreThatComesBackInTimeCostsNoLease() {
        List<Lease> leases = held(2_000);
        rig.wire.onRenewAll(step -> {
            rig.hang(Rig.TIMEOUT);
            throw Wire.noAnswer();
        });
        rig.clock.advance(Duration.ofSeconds(25));
        rig.wire.onRenewAll(Supplier::get);
        rig.clock.advance(Rig.TTL);
        assertThat(leases).allMatch(Lease::isHeld);
    }

    @Test
    void leavesNothingBehindLeasesThatComeAndGo() {
        Parts parts = Rig.parts(rig.wire, rig.clock);
        Succession succession = Rig.succession(parts);
        Validity validity = Validity.startingNow(rig.clock, Rig.TTL, Numbers.DEFAULTS);
        LockRequest request = Rig.foreign(Rig.TTL);
        for (int i = 0; i < 200_000; i++) {
            ActiveLease lease = new ActiveLease(
                    parts, request, OptionalLong.empty(), validity, Optional.empty(), Run.NONE, succession);
            lease.watchExpiry();
            parts.renewals().plan(lease);
            assertThat(parts.agenda().size()).isEqualTo(2);
            lease.lose(LossCause.CLOSED);
        }
        assertThat(parts.agenda().size()).isZero();
        assertThat(parts.renewals().size()).isZero();
        parts.workers().close();
    }

    @Test
    void everyLateHeldOfASharedRequestIsUndone() {
        held(10);
        rig.wire.onRenewAll(step -> {
            List<RenewResult> results = step.get();
            rig.hang(Rig.TTL.minusSeconds(1));
            return results;
        });
        rig.clock.advance(Rig.TTL.multipliedBy(2));
        assertThat(losses).hasSize(10);
        assertThat(rig.wire.releases.stream().map(call -> call.request().name()).distinct())
                .hasSize(10);
    }
}
