// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.polylock.LockBackendException;
import io.polylock.spi.Acquisition;
import io.polylock.spi.Handover;
import io.polylock.spi.Holder;
import io.polylock.spi.Inspection;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockName;
import io.polylock.spi.LockRequest;
import io.polylock.spi.Ownership;
import io.polylock.spi.ReleaseSignals;
import io.polylock.spi.ReleaseSignals.SignalListener;
import io.polylock.spi.ReleaseSignals.Subscription;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** HND, INS, SIG: what a store can do beyond the three operations. */
abstract class FeatureRules extends Rules {

    private static final Duration BOUND = Duration.ofSeconds(2);

    FeatureRules(Supplier<Stage> stage) {
        super(stage);
    }

    @Test
    @DisplayName("HND-1 MUST pass a lock from its holder to the heir in one step, with a fresh TTL")
    void hnd1_passesTheLockOn() throws Exception {
        LockBackend backend = stage().backend();
        Handover handover = stage().feature(backend, Handover.class);
        stage().timely(() -> {
            LockRequest giver = taken(backend, stage().name(), Stage.TTL);
            LockRequest heir = stage().request(giver.name().value(), Stage.TTL.multipliedBy(2));
            long start = stage().nanos();
            Acquisition handed = handover.handOver(giver.owner(), heir);
            stage().elapse(Stage.TTL);
            Ownership asGiver = backend.renew(giver);
            Acquisition other = backend.tryAcquire(stage().request(giver.name().value(), Stage.TTL));
            stage().notLater(start, Stage.TTL.multipliedBy(2));

            assertGranted(handed);
            assertEquals(Ownership.OTHER_OWNER, asGiver, "the giver still owns the lock");
            assertContended(other);
            assertHeld(backend.release(heir));
        });
    }

    @Test
    @DisplayName("HND-2 MUST NOT pass on a lock that is not the giver's")
    void hnd2_passesOnlyWhatTheGiverHolds() {
        LockBackend backend = stage().backend();
        Handover handover = stage().feature(backend, Handover.class);
        LockRequest holder = taken(backend, stage().name(), Stage.LONG_TTL);
        LockRequest stranger = stage().request(holder.name().value(), Stage.LONG_TTL);
        LockRequest heir = stage().request(holder.name().value(), Stage.LONG_TTL);

        assertContended(handover.handOver(stranger.owner(), heir));
        assertHeld(backend.renew(holder));
        assertHeld(backend.release(holder));

        assertContended(handover.handOver(holder.owner(), heir));
        assertTrue(stage().isFree(backend, holder.name().value()), "a free lock was handed over");
    }

    @Test
    @DisplayName("HND-3 MUST answer a repeated hand-over like the first")
    void hnd3_aRepeatedHandoverIsTheSame() {
        LockBackend backend = stage().backend();
        Handover handover = stage().feature(backend, Handover.class);
        LockRequest giver = taken(backend, stage().name(), Stage.LONG_TTL);
        LockRequest heir = stage().request(giver.name().value(), Stage.LONG_TTL);

        Acquisition first = handover.handOver(giver.owner(), heir);

        assertGranted(first);
        assertEquals(first, handover.handOver(giver.owner(), heir));
        assertHeld(backend.release(heir));
    }

    @Test
    @DisplayName("INS-1 MUST show who holds a lock, for how long, and with which token; and nobody when it is free")
    void ins1_showsTheHolder() {
        LockBackend backend = stage().backend();
        Inspection inspection = stage().feature(backend, Inspection.class);
        LockName name = new LockName(stage().name());
        assertEquals(Optional.empty(), inspection.inspect(name, BOUND));

        LockRequest owner = stage().request(name.value(), Stage.LONG_TTL);
        long start = stage().nanos();
        Acquisition.Granted granted = assertGranted(backend.tryAcquire(owner));
        Holder holder = inspection.inspect(name, BOUND).orElseThrow();

        assertEquals(name.value(), holder.name());
        assertEquals(owner.owner().toString(), holder.ownerHint());
        holder.label().ifPresent(label -> assertEquals("kit", label));
        Duration remaining = holder.remaining().orElseThrow();
        Duration least = Stage.LONG_TTL.minus(stage().since(start)).minusMillis(1);
        assertTrue(
                remaining.compareTo(Stage.LONG_TTL) <= 0 && remaining.compareTo(least) >= 0, "remaining " + remaining);
        assertEquals(granted.fencingToken(), holder.fencingToken());
        assertHeld(backend.release(owner));
        assertEquals(Optional.empty(), inspection.inspect(name, BOUND));
    }

    @Test
    @DisplayName("INS-2 MUST list every lock that is held for the whole walk, in pages of 1 to 1,000")
    void ins2_listsTheLocks() {
        LockBackend backend = stage().backend();
        Inspection inspection = stage().feature(backend, Inspection.class);
        Set<String> held = new HashSet<>();
        for (int i = 0; i < 30; i++) {
            held.add(taken(backend, stage().name(), Stage.LONG_TTL).name().value());
        }

        Set<String> seen = new HashSet<>();
        Optional<String> after = Optional.empty();
        int pages = 0;
        do {
            Inspection.Page page = inspection.list(after, 7, BOUND);
            page.holders().forEach(holder -> seen.add(holder.name()));
            after = page.next();
            pages++;
        } while (after.isPresent() && pages < 10_000);

        assertTrue(seen.containsAll(held), "seen " + seen.size() + " locks, not all of the " + held.size());
        assertTrue(after.isEmpty(), "the list has no end");
        for (int limit : new int[] {0, -1, Inspection.LARGEST_PAGE + 1}) {
            assertThrows(IllegalArgumentException.class, () -> inspection.list(Optional.empty(), limit, BOUND));
        }
    }

    @Test
    @DisplayName("INS-3 MUST take a lock away from whoever holds it when an operator revokes it, and say from whom")
    void ins3_revokes() {
        LockBackend backend = stage().backend();
        Inspection inspection = stage().feature(backend, Inspection.class);
        LockRequest owner = taken(backend, stage().name(), Stage.LONG_TTL);

        Holder revoked = inspection.revoke(owner.name(), BOUND).orElseThrow();

        assertEquals(owner.owner().toString(), revoked.ownerHint());
        assertEquals(Optional.empty(), inspection.revoke(owner.name(), BOUND));
        assertEquals(Ownership.ABSENT, backend.renew(owner));
        LockRequest next = stage().request(owner.name().value(), Stage.LONG_TTL);
        Acquisition.Granted granted = assertGranted(backend.tryAcquire(next));
        if (granted.fencingToken().isPresent() && revoked.fencingToken().isPresent()) {
            assertTrue(
                    granted.fencingToken().getAsLong() > revoked.fencingToken().getAsLong(), "the token went back");
        }
    }

    @Test
    @DisplayName(
            "SIG-1 MUST signal a release that happens after the listening was confirmed, and nothing after it was ended")
    void sig1_signalsAReleaseAfterTheConfirmation() {
        LockBackend backend = stage().backend();
        ReleaseSignals signals = stage().feature(backend, ReleaseSignals.class);
        AtomicInteger heard = new AtomicInteger();
        SignalListener listener = new SignalListener() {
            @Override
            public void released() {
                heard.incrementAndGet();
            }

            @Override
            public void gap() {}
        };
        LockRequest owner = taken(stage().backend(), stage().name(), Stage.LONG_TTL);
        try (Subscription subscription = signals.watch(owner.name(), listener, BOUND)) {
            assertTrue(subscription != null && heard.get() == 0, "a signal without a release");
            assertHeld(stage().backend().release(owner));
            stage().eventually("the release is signalled", Stage.SOON, () -> heard.get() > 0);
        }

        int before = heard.get();
        LockRequest next = taken(backend, owner.name().value(), Stage.LONG_TTL);
        assertHeld(backend.release(next));
        stage().elapse(Duration.ofMillis(100));
        assertEquals(before, heard.get(), "signals after the listening was ended");
    }

    /** Counts what it hears. */
    private static final class Hearing implements SignalListener {

        private final AtomicInteger times = new AtomicInteger();

        @Override
        public void released() {
            times.incrementAndGet();
        }

        @Override
        public void gap() {}
    }

    @Test
    @DisplayName("SIG-2 MUST signal a release to another client than the one that released, if one listens")
    void sig2_signalsToOthers() {
        LockBackend one = stage().backend();
        LockBackend two = stage().backend();
        Hearing first = new Hearing();
        Hearing second = new Hearing();
        LockName name = new LockName(stage().name());
        try (Subscription here = stage().feature(one, ReleaseSignals.class).watch(name, first, BOUND);
                Subscription there = stage().feature(two, ReleaseSignals.class).watch(name, second, BOUND)) {
            assertTrue(here != there, "one listening for two clients");
            for (int round = 1; round <= 6; round++) {
                LockBackend releaser = round % 3 == 0 ? two : one;
                LockBackend waiting = round % 3 == 0 ? one : two;
                Hearing other = round % 3 == 0 ? first : second;
                LockRequest owner = taken(releaser, name.value(), Stage.LONG_TTL);
                assertContended(waiting.tryAcquire(stage().request(name.value(), Stage.LONG_TTL)));
                int before = other.times.get();
                assertHeld(releaser.release(owner));
                stage().eventually("the other client hears", Stage.SOON, () -> other.times.get() > before);
            }
        }
    }

    @Test
    @DisplayName("SIG-3 MUST end one listening when it is closed, once or twice, and leave the others")
    void sig3_endsOneListeningOnly() {
        LockBackend backend = stage().backend();
        ReleaseSignals signals = stage().feature(backend, ReleaseSignals.class);
        Hearing ended = new Hearing();
        Hearing going = new Hearing();
        LockName name = new LockName(stage().name());
        Subscription first = signals.watch(name, ended, BOUND);
        try (Subscription second = signals.watch(name, going, BOUND)) {
            assertTrue(first != second, "one listening for two");
            first.close();
            first.close();
            int before = ended.times.get();
            LockBackend other = stage().backend();
            for (int round = 1; round <= 3; round++) {
                LockRequest owner = taken(other, name.value(), Stage.LONG_TTL);
                assertContended(backend.tryAcquire(stage().request(name.value(), Stage.LONG_TTL)));
                int heard = going.times.get();
                assertHeld(other.release(owner));
                stage().eventually("the other listening goes on", Stage.SOON, () -> going.times.get() > heard);
            }
            assertEquals(before, ended.times.get(), "signals after the listening was ended");
        }
        first.close();
    }

    @Test
    @DisplayName(
            "SIG-4 MUST NOT return from the call to listen without the store's confirmation: it fails within its bound, and nothing is left behind")
    void sig4_listensOnlyIfConfirmed() {
        LockBackend backend = stage().backend();
        ReleaseSignals signals = stage().feature(backend, ReleaseSignals.class);
        LockBackend other = stage().backend();
        Hearing hearing = new Hearing();
        Duration bound = Duration.ofMillis(500);
        LockRequest owner = taken(other, stage().name(), Stage.LONG_TTL);

        stage().hangStore();
        Duration took;
        try {
            long start = stage().nanos();
            assertThrows(LockBackendException.class, () -> signals.watch(owner.name(), hearing, bound));
            took = stage().since(start);
        } finally {
            stage().resumeStore();
        }

        assertTrue(took.compareTo(bound.multipliedBy(4)) < 0, "a call bounded by " + bound + " took " + took);
        assertHeld(other.release(owner));
        stage().elapse(Duration.ofMillis(100));
        assertEquals(0, hearing.times.get(), "signals for a listening that failed");
    }
}
