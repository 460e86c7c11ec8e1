// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.polylock.spi.Acquisition;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockRequest;
import io.polylock.spi.QuorumMember;
import io.polylock.spi.Vote;
import io.polylock.spi.Vote.Refused.Reason;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** QUO: one node of a quorum. */
abstract class QuorumMemberRules extends Rules {

    private static final Duration SKEW = Duration.ofSeconds(1);
    private static final Vote CONFIRMED = new Vote.Confirmed();

    QuorumMemberRules(Supplier<Stage> stage) {
        super(stage);
    }

    private static Vote.Joined assertJoined(Vote vote) {
        return assertInstanceOf(Vote.Joined.class, vote, "the lock was free, so the node must join");
    }

    private static Vote refused(Reason reason) {
        return new Vote.Refused(reason);
    }

    @Test
    @DisplayName("QUO-1 MUST take the lock by joining as by acquiring, and answer contended to others")
    void quo1_joiningTakesTheLock() {
        LockBackend backend = stage().backend();
        QuorumMember member = stage().feature(backend, QuorumMember.class);
        LockRequest owner = stage().request(stage().name(), Stage.LONG_TTL);

        Vote.Joined joined = assertJoined(member.join(owner, Optional.empty()));

        assertContended(backend.tryAcquire(stage().request(owner.name().value(), Stage.LONG_TTL)));
        assertInstanceOf(
                Acquisition.Contended.class,
                member.join(stage().request(owner.name().value(), Stage.LONG_TTL), Optional.empty()));
        assertEquals(
                joined.token(),
                assertJoined(member.join(owner, Optional.empty())).token(),
                "a repeated join");
        assertHeld(backend.release(owner));
    }

    @Test
    @DisplayName("QUO-2 MUST store the token that it mints, so that a later join mints a larger one")
    void quo2_joiningStoresItsToken() {
        LockBackend backend = stage().backend();
        QuorumMember member = stage().feature(backend, QuorumMember.class);
        String name = stage().name();
        long last = 0;
        for (int i = 0; i < 5; i++) {
            LockRequest owner = stage().request(name, Stage.LONG_TTL);
            long token = assertJoined(member.join(owner, Optional.empty())).token();
            assertTrue(token > last, token + " is not larger than " + last);
            last = token;
            assertHeld(backend.release(owner));
        }
    }

    @Test
    @DisplayName(
            "QUO-3 MUST confirm a larger token for the owner, answer a repeated confirm like the first, and mint a larger one still after that")
    void quo3_confirmsForTheOwner() {
        LockBackend backend = stage().backend();
        QuorumMember member = stage().feature(backend, QuorumMember.class);
        LockRequest owner = stage().request(stage().name(), Stage.LONG_TTL);
        Vote.Joined joined = assertJoined(member.join(owner, Optional.empty()));
        long token = joined.token() + 1_000;

        assertEquals(CONFIRMED, member.confirm(owner, joined.incarnation(), token, SKEW));
        assertEquals(CONFIRMED, member.confirm(owner, joined.incarnation(), token, SKEW), "a repeated confirm");

        assertHeld(backend.release(owner));
        LockRequest next = stage().request(owner.name().value(), Stage.LONG_TTL);
        assertTrue(assertJoined(member.join(next, Optional.empty())).token() > token);
    }

    @Test
    @DisplayName("QUO-4 MUST NOT confirm for anybody but the owner, nor a token that is smaller than the stored one")
    void quo4_refusesStrangersAndOldTokens() {
        LockBackend backend = stage().backend();
        QuorumMember member = stage().feature(backend, QuorumMember.class);
        LockRequest owner = stage().request(stage().name(), Stage.LONG_TTL);
        Vote.Joined joined = assertJoined(member.join(owner, Optional.empty()));
        String memory = joined.incarnation();
        LockRequest stranger = stage().request(owner.name().value(), Stage.LONG_TTL);

        assertEquals(refused(Reason.NOT_OWNER), member.confirm(stranger, memory, joined.token() + 1_000, SKEW));
        assertEquals(CONFIRMED, member.confirm(owner, memory, joined.token() + 1_000, SKEW));
        assertEquals(refused(Reason.OUTDATED), member.confirm(owner, memory, joined.token() + 999, SKEW));
        assertHeld(backend.release(owner));
        assertEquals(refused(Reason.NOT_OWNER), member.confirm(owner, memory, joined.token() + 2_000, SKEW));
    }

    @Test
    @DisplayName(
            "QUO-5 MUST NOT confirm a token that, read as a time, is ahead of the node's clock by more than the skew")
    void quo5_refusesATokenFromTheFuture() {
        QuorumMember member = stage().feature(stage().backend(), QuorumMember.class);
        LockRequest owner = stage().request(stage().name(), Stage.LONG_TTL);
        Vote.Joined joined = assertJoined(member.join(owner, Optional.empty()));
        long hour = Duration.ofHours(1).toNanos() / 1_000;

        assertEquals(
                refused(Reason.AHEAD_OF_CLOCK),
                member.confirm(owner, joined.incarnation(), joined.clockMicros() + hour, SKEW));
        assertEquals(
                CONFIRMED,
                member.confirm(owner, joined.incarnation(), joined.clockMicros() + hour, Duration.ofHours(2)));
    }

    @Test
    @DisplayName(
            "QUO-6 MUST name its incarnation and age: the same id from every client, a new one with a young age after it forgot")
    void quo6_namesItsIncarnation() {
        QuorumMember one = stage().feature(stage().backend(), QuorumMember.class);
        QuorumMember two = stage().feature(stage().backend(), QuorumMember.class);
        Vote.Joined first = assertJoined(one.join(stage().request(stage().name(), Stage.LONG_TTL), Optional.empty()));
        stage().elapse(Duration.ofMillis(20));
        Vote.Joined second = assertJoined(two.join(stage().request(stage().name(), Stage.LONG_TTL), Optional.empty()));

        assertEquals(first.incarnation(), second.incarnation());
        assertFalse(first.age().isNegative());
        assertTrue(second.age().compareTo(first.age()) > 0, "the age does not grow");

        stage().restartStoreEmpty();
        Vote.Joined reborn = assertJoined(two.join(stage().request(stage().name(), Stage.LONG_TTL), Optional.empty()));
        assertNotEquals(first.incarnation(), reborn.incarnation());
        assertTrue(reborn.age().compareTo(second.age()) < 0, "a new memory is as old as the lost one");
    }

    @Test
    @DisplayName("QUO-7 MUST let an heir join while the giver holds the lock, with a larger token, and nobody else")
    void quo7_anHeirJoins() {
        LockBackend backend = stage().backend();
        QuorumMember member = stage().feature(backend, QuorumMember.class);
        LockRequest giver = stage().request(stage().name(), Stage.LONG_TTL);
        Vote.Joined joined = assertJoined(member.join(giver, Optional.empty()));
        long given = joined.token();
        LockRequest heir = stage().request(giver.name().value(), Stage.LONG_TTL);
        LockRequest stranger = stage().request(giver.name().value(), Stage.LONG_TTL);

        assertInstanceOf(Acquisition.Contended.class, member.join(stranger, Optional.of(heir.owner())));
        long inherited =
                assertJoined(member.join(heir, Optional.of(giver.owner()))).token();

        assertTrue(inherited > given, inherited + " is not larger than " + given);
        assertEquals(refused(Reason.NOT_OWNER), member.confirm(giver, joined.incarnation(), inherited + 1_000, SKEW));
        assertHeld(backend.release(heir));
    }

    @Test
    @DisplayName(
            "QUO-8 MUST NOT confirm if it has lost its memory since the join, even if the owner holds its lock again")
    void quo8_refusesWhatItHasForgotten() {
        QuorumMember member = stage().feature(stage().backend(), QuorumMember.class);
        LockRequest owner = stage().request(stage().name(), Stage.LONG_TTL);
        Vote.Joined joined = assertJoined(member.join(owner, Optional.empty()));

        stage().restartStoreEmpty();
        Vote.Joined again = assertJoined(member.join(owner, Optional.empty()));
        long token = again.token() + 1_000;

        assertEquals(refused(Reason.FORGOTTEN), member.confirm(owner, joined.incarnation(), token, SKEW));
        assertEquals(CONFIRMED, member.confirm(owner, again.incarnation(), token, SKEW));
    }
}
