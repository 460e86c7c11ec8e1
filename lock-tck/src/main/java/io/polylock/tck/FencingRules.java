// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.polylock.DistributedLock;
import io.polylock.Lease;
import io.polylock.LockManager;
import io.polylock.spi.Fencing;
import io.polylock.spi.Handover;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** FEN: the numbers by which a resource refuses late writers. */
abstract class FencingRules extends Rules {

    private static final Duration SHORT = Duration.ofMillis(100);

    FencingRules(Supplier<Stage> stage) {
        super(stage);
    }

    private LockBackend fenced() {
        LockBackend backend = stage().backend();
        stage().feature(backend, Fencing.class);
        return backend;
    }

    private static long token(Lease lease) {
        return lease.fencingToken().orElseThrow(() -> new AssertionError("a grant of a fenced backend has no token"));
    }

    private long grant(LockBackend backend, LockRequest request) {
        return assertGranted(backend.tryAcquire(request))
                .fencingToken()
                .orElseThrow(() -> new AssertionError("a grant of a fenced backend has no token"));
    }

    private static void assertIncreasing(List<Long> tokens) {
        for (int i = 1; i < tokens.size(); i++) {
            assertTrue(tokens.get(i) > tokens.get(i - 1), "tokens do not increase: " + tokens);
        }
    }

    @Test
    @DisplayName(
            "FEN-1 MUST give every grant a larger token than all earlier grants of the lock, after a release, an expiry, and by any client")
    void fen1_tokensIncrease() {
        LockBackend one = fenced();
        LockBackend two = stage().backend();
        String name = stage().name();
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            LockBackend backend = i % 2 == 0 ? one : two;
            LockRequest request = stage().request(name, i % 5 == 4 ? SHORT : Stage.LONG_TTL);
            tokens.add(grant(backend, request));
            if (i % 5 == 4) {
                stage().elapse(SHORT.multipliedBy(2));
            } else {
                assertHeld(backend.release(request));
            }
        }
        assertIncreasing(tokens);
    }

    @Test
    @DisplayName(
            "FEN-2 MUST keep the token of a lease the same for its whole life, also after a successor has a larger one")
    void fen2_aLeaseKeepsItsToken() throws Exception {
        fenced();
        LockManager manager = stage().manager();
        String name = stage().name();
        Lease lease = got(stage().fixed(manager, name, SHORT).tryAcquire());
        long token = token(lease);
        stage().elapse(SHORT.multipliedBy(2));
        Lease successor =
                got(stage().fixed(stage().manager(), name, Stage.LONG_TTL).tryAcquire());

        assertEquals(token, token(lease));
        assertTrue(token(successor) > token);
        successor.close();
        lease.release();
        assertEquals(token, token(lease));
    }

    @Test
    @DisplayName("FEN-3 MUST NOT change the holder's token by attempts that were refused, or by renewals")
    void fen3_refusedAttemptsDoNotChangeTheToken() {
        LockBackend backend = fenced();
        LockRequest holder = stage().request(stage().name(), Stage.LONG_TTL);
        long token = grant(backend, holder);
        for (int i = 0; i < 10; i++) {
            assertContended(backend.tryAcquire(stage().request(holder.name().value(), Stage.LONG_TTL)));
            assertHeld(backend.renew(holder));
        }

        assertEquals(token, grant(backend, holder), "the token of a repeated request");
    }

    @Test
    @DisplayName("FEN-4 MUST order the tokens as the leases followed each other, in a race of many clients")
    void fen4_tokensFollowTheOrderOfLeases() {
        fenced();
        String name = stage().name();
        List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
        List<Stage.Worker<Void>> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            DistributedLock lock = stage().fixed(stage().manager(), name, Stage.LONG_TTL);
            threads.add(stage().fork(() -> {
                for (int round = 0; round < 10; round++) {
                    lock.run(Duration.ofMinutes(1), lease -> tokens.add(token(lease)));
                }
                return null;
            }));
        }
        threads.forEach(thread -> stage().join(thread, Duration.ofMinutes(1)));

        assertEquals(40, tokens.size());
        assertIncreasing(tokens);
    }

    @Test
    @DisplayName("FEN-5 MUST give larger tokens also after the store has forgotten everything")
    void fen5_tokensIncreaseAfterTheStoreForgot() {
        LockBackend backend = fenced();
        String name = stage().name();
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            LockRequest request = stage().request(name, Stage.LONG_TTL);
            tokens.add(grant(backend, request));
            stage().restartStoreEmpty();
            stage().elapse(Duration.ofMillis(5));
        }
        assertIncreasing(tokens);
    }

    @Test
    @DisplayName("FEN-6 MUST give larger tokens also when the store's clock went back: a bare timestamp is no token")
    void fen6_tokensIncreaseWhenTheClockGoesBack() {
        LockBackend backend = fenced();
        String name = stage().name();
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            LockRequest request = stage().request(name, Stage.LONG_TTL);
            tokens.add(grant(backend, request));
            assertHeld(backend.release(request));
            stage().moveStoreClock(Duration.ofMinutes(-10));
        }
        stage().moveStoreClock(Duration.ofMinutes(30));
        assertIncreasing(tokens);
    }

    @Test
    @DisplayName(
            "FEN-7 MUST give tokens that are positive, below 2^53, and not behind the clock that mints them by more than its skew")
    void fen7_tokensFitEverywhere() {
        LockBackend backend = fenced();
        long first = grant(backend, stage().request(stage().name(), Stage.LONG_TTL));
        stage().elapse(Duration.ofMillis(50));
        long other = grant(backend, stage().request(stage().name(), Stage.LONG_TTL));

        assertTrue(first > 0 && other < Fencing.TOKEN_LIMIT, first + ", " + other);
        assertTrue(
                other - first >= 40_000,
                "a new lock's token " + other + " is behind an older lock's token " + first
                        + ": it would repeat one of its own if the store forgot it");
    }

    @Test
    @DisplayName("FEN-8 MUST give the heir of a hand-over a larger token than the giver's")
    void fen8_anHeirHasALargerToken() {
        LockBackend backend = fenced();
        Handover handover = stage().feature(backend, Handover.class);
        LockRequest giver = stage().request(stage().name(), Stage.LONG_TTL);
        long token = grant(backend, giver);
        LockRequest heir = stage().request(giver.name().value(), Stage.LONG_TTL);

        long inherited = assertGranted(handover.handOver(giver.owner(), heir))
                .fencingToken()
                .orElse(0);

        assertTrue(inherited > token, inherited + " is not larger than " + token);
        assertHeld(backend.release(heir));
        assertTrue(grant(backend, stage().request(giver.name().value(), Stage.LONG_TTL)) > inherited);
    }
}
