// SPDX-License-Identifier: Apache-2.0
package io.polylock.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.spi.Acquisition;
import io.polylock.spi.LockName;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import io.polylock.spi.Ownership;
import io.polylock.spi.Vote;
import io.polylock.spi.Vote.Refused.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MemoryRecordsTest {

    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final long LARGEST_TOKEN = (1L << 53) - 1;

    private final VirtualClock clock = new VirtualClock();
    private final MemoryRecords records = new MemoryRecords(clock, HOUR);
    private final LockRequest mine = request("a", TTL);
    private final LockRequest theirs = request("a", TTL);

    private static LockRequest request(String name, Duration ttl) {
        return new LockRequest(new LockName(name), OwnerToken.random(), "label", ttl, Duration.ofSeconds(2));
    }

    private long granted(LockRequest request) {
        return token(records.acquire(request));
    }

    private static long token(Acquisition answer) {
        assertThat(answer).isInstanceOf(Acquisition.Granted.class);
        return ((Acquisition.Granted) answer).fencingToken().orElseThrow();
    }

    private static Duration freeIn(Acquisition answer) {
        assertThat(answer).isInstanceOf(Acquisition.Contended.class);
        return ((Acquisition.Contended) answer).freeIn().orElseThrow();
    }

    private long joined(LockRequest request) {
        Vote.Join vote = records.join(request, Optional.empty());
        assertThat(vote).isInstanceOf(Vote.Joined.class);
        return ((Vote.Joined) vote).token();
    }

    @Test
    void theFirstTokenIsTheClockInMicroseconds() {
        assertThat(granted(mine)).isEqualTo(clock.epochMicros());
    }

    @Test
    void theNextTokenIsOneMoreIfTheClockStands() {
        long first = granted(mine);
        records.release(mine);
        assertThat(granted(theirs)).isEqualTo(first + 1);
    }

    @Test
    void theNextTokenIsTheClockIfThatIsAhead() {
        granted(mine);
        clock.advance(TTL);
        assertThat(granted(theirs)).isEqualTo(clock.epochMicros());
    }

    @Test
    void tokensGrowAlsoIfTheClockGoesBack() {
        long first = granted(mine);
        records.release(mine);
        records.moveClock(Duration.ofDays(-1));
        assertThat(granted(theirs)).isEqualTo(first + 1);
    }

    @Test
    void tokensGrowAfterEverythingWasForgotten() {
        long first = granted(mine);
        records.clear();
        clock.advance(Duration.ofNanos(1_000));
        assertThat(granted(theirs)).isGreaterThan(first);
    }

    @Test
    void holdsUntilTheEndOfTheTtlToTheMicrosecond() {
        granted(mine);
        clock.advance(TTL.minusNanos(1_000));
        assertThat(freeIn(records.acquire(theirs))).isEqualTo(Duration.ofNanos(1_000));
        clock.advance(Duration.ofNanos(1_000));
        assertThat(granted(theirs)).isPositive();
    }

    @Test
    void roundsAFractionOfAMicrosecondUp() {
        granted(request("a", TTL.plusNanos(1)));
        clock.advance(TTL);
        assertThat(freeIn(records.acquire(theirs))).isPositive();
    }

    @Test
    void aRepeatedRequestIsTheSameRequest() {
        long token = granted(mine);
        clock.advance(Duration.ofSeconds(20));
        assertThat(granted(mine)).isEqualTo(token);
        assertThat(freeIn(records.acquire(theirs))).isEqualTo(TTL);
    }

    @Test
    void aRepeatedRequestNeverBringsTheEndNearer() {
        granted(mine);
        granted(new LockRequest(mine.name(), mine.owner(), "", Duration.ofSeconds(1), Duration.ofSeconds(2)));
        assertThat(freeIn(records.acquire(theirs))).isEqualTo(TTL);
    }

    @Test
    void aRenewalRestartsTheTtl() {
        granted(mine);
        clock.advance(Duration.ofSeconds(20));
        assertThat(records.renew(mine)).isEqualTo(Ownership.HELD);
        assertThat(freeIn(records.acquire(theirs))).isEqualTo(TTL);
    }

    @Test
    void aRenewalNeverBringsTheEndNearer() {
        granted(mine);
        records.renew(new LockRequest(mine.name(), mine.owner(), "", Duration.ofSeconds(1), Duration.ofSeconds(2)));
        assertThat(freeIn(records.acquire(theirs))).isEqualTo(TTL);
    }

    @Test
    void aRenewalRevivesNothing() {
        granted(mine);
        clock.advance(TTL);
        assertThat(records.renew(mine)).isEqualTo(Ownership.ABSENT);
        assertThat(granted(theirs)).isPositive();
        assertThat(records.renew(mine)).isEqualTo(Ownership.OTHER_OWNER);
    }

    @Test
    void aReleaseFreesOnlyWhatIsItsOwn() {
        granted(mine);
        assertThat(records.release(theirs)).isEqualTo(Ownership.OTHER_OWNER);
        assertThat(records.release(mine)).isEqualTo(Ownership.HELD);
        assertThat(records.release(mine)).isEqualTo(Ownership.ABSENT);
    }

    @Test
    void aHandOverGivesAFreshTtlAndANewToken() {
        long token = granted(mine);
        clock.advance(Duration.ofSeconds(20));
        assertThat(token(records.handOver(mine.owner(), theirs))).isGreaterThan(token);
        assertThat(records.renew(mine)).isEqualTo(Ownership.OTHER_OWNER);
        assertThat(freeIn(records.acquire(request("a", TTL)))).isEqualTo(TTL);
    }

    @Test
    void aHandOverIsAnsweredAgainLikeTheFirstTime() {
        granted(mine);
        long token = token(records.handOver(mine.owner(), theirs));
        assertThat(token(records.handOver(mine.owner(), theirs))).isEqualTo(token);
    }

    @Test
    void nobodyHandsOverWhatIsNotHis() {
        granted(request("a", TTL));
        assertThat(records.handOver(mine.owner(), theirs)).isInstanceOf(Acquisition.Contended.class);
    }

    @Test
    void nobodyHandsOverAFreeLock() {
        assertThat(records.handOver(mine.owner(), theirs)).isEqualTo(new Acquisition.Contended(Optional.empty()));
        assertThat(records.size()).isZero();
    }

    @Test
    void joinMintsAndStoresAToken() {
        long token = joined(mine);
        records.release(mine);
        assertThat(granted(theirs)).isEqualTo(token + 1);
    }

    @Test
    void joinTellsTheSameIncarnationAndItsAgeUntilTheMemoryIsLost() {
        Vote.Joined first = (Vote.Joined) records.join(mine, Optional.empty());
        clock.advance(Duration.ofMinutes(2));
        Vote.Joined second = (Vote.Joined) records.join(theirs, Optional.empty());
        assertThat(first.age()).isZero();
        assertThat(second.age()).isEqualTo(Duration.ofMinutes(2));
        assertThat(second.incarnation()).isEqualTo(first.incarnation());
        records.clear();
        Vote.Joined third = (Vote.Joined) records.join(mine, Optional.empty());
        assertThat(third.incarnation()).isNotEqualTo(first.incarnation());
        assertThat(third.age()).isZero();
    }

    @Test
    void joinTakesTheLockOverFromWhoHandsItOn() {
        joined(mine);
        assertThat(records.join(theirs, Optional.empty())).isInstanceOf(Acquisition.Contended.class);
        assertThat(records.join(theirs, Optional.of(mine.owner()))).isInstanceOf(Vote.Joined.class);
        assertThat(records.renew(mine)).isEqualTo(Ownership.OTHER_OWNER);
    }

    @Test
    void confirmRaisesTheCounter() {
        long token = joined(mine) + 500;
        assertThat(confirm(mine, token, Duration.ofSeconds(1))).isEqualTo(new Vote.Confirmed());
        records.release(mine);
        assertThat(granted(theirs)).isEqualTo(token + 1);
    }

    @Test
    void confirmRefusesWhatIsNotHeld() {
        long token = joined(mine) + 1;
        assertThat(confirm(theirs, token, Duration.ofSeconds(1))).isEqualTo(new Vote.Refused(Reason.NOT_OWNER));
        clock.advance(TTL);
        assertThat(confirm(mine, token, Duration.ofSeconds(1))).isEqualTo(new Vote.Refused(Reason.NOT_OWNER));
    }

    @Test
    void confirmRefusesWhatIsSmallerAndRepeatsWhatIsEqual() {
        long token = joined(mine) + 500;
        assertThat(confirm(mine, token, Duration.ofSeconds(1))).isEqualTo(new Vote.Confirmed());
        assertThat(confirm(mine, token, Duration.ofSeconds(1))).isEqualTo(new Vote.Confirmed());
        assertThat(confirm(mine, token - 1, Duration.ofSeconds(1))).isEqualTo(new Vote.Refused(Reason.OUTDATED));
    }

    @Test
    void confirmRefusesWhatTheNodeHasForgotten() {
        Vote.Joined joined = (Vote.Joined) records.join(mine, Optional.empty());
        records.clear();
        long token = joined(mine) + 500;
        assertThat(records.confirm(mine, joined.incarnation(), token, Duration.ofSeconds(1)))
                .isEqualTo(new Vote.Refused(Reason.FORGOTTEN));
        records.dropCounter(mine.name().value());
        assertThat(confirm(mine, token, Duration.ofSeconds(1))).isEqualTo(new Vote.Refused(Reason.FORGOTTEN));
    }

    /** Confirms in the memory that the records have now. */
    private Vote.Confirmation confirm(LockRequest request, long token, Duration maxSkew) {
        LockRequest probe = new LockRequest(
                new LockName("probe"), OwnerToken.random(), "", Duration.ofMillis(10), Duration.ofSeconds(1));
        Vote.Join joined = records.join(probe, Optional.empty());
        records.release(probe);
        return records.confirm(request, ((Vote.Joined) joined).incarnation(), token, maxSkew);
    }

    @Test
    void confirmRefusesWhatIsAheadOfTheClock() {
        joined(mine);
        long ahead = clock.epochMicros() + 1_000_000;
        assertThat(confirm(mine, ahead + 1, Duration.ofSeconds(1))).isEqualTo(new Vote.Refused(Reason.AHEAD_OF_CLOCK));
        assertThat(confirm(mine, ahead, Duration.ofSeconds(1))).isEqualTo(new Vote.Confirmed());
    }

    @Test
    void confirmRefusesATokenOf2To53EvenWithAnySkew() {
        joined(mine);
        assertRefused(() -> confirm(mine, LARGEST_TOKEN + 1, Duration.ofSeconds(Long.MAX_VALUE)));
        assertThat(confirm(mine, LARGEST_TOKEN, Duration.ofSeconds(Long.MAX_VALUE)))
                .isEqualTo(new Vote.Confirmed());
    }

    @Test
    void aTokenOf2To53IsRefusedBeforeAnyWrite() {
        counterAtItsEnd();
        int size = records.size();
        assertRefused(() -> records.acquire(theirs));
        assertRefused(() -> records.join(theirs, Optional.empty()));
        assertThat(records.size()).isEqualTo(size);
        assertThat(records.renew(theirs)).isEqualTo(Ownership.ABSENT);
    }

    @Test
    void aHandOverThatWouldReach2To53LeavesTheLockToItsHolder() {
        granted(mine);
        confirm(mine, LARGEST_TOKEN, Duration.ofSeconds(Long.MAX_VALUE));
        assertRefused(() -> records.handOver(mine.owner(), theirs));
        assertThat(records.renew(mine)).isEqualTo(Ownership.HELD);
    }

    private void counterAtItsEnd() {
        granted(mine);
        confirm(mine, LARGEST_TOKEN, Duration.ofSeconds(Long.MAX_VALUE));
        records.release(mine);
    }

    private static void assertRefused(org.assertj.core.api.ThrowableAssert.ThrowingCallable step) {
        assertThatThrownBy(step).isInstanceOfSatisfying(LockBackendException.class, e -> assertThat(e.outcome())
                .isEqualTo(Outcome.REFUSED));
    }

    @Test
    void keepsACounterForTheRetentionAfterTheLeaseEnd() {
        long token = granted(mine);
        clock.advance(TTL.plus(HOUR).minusNanos(1_000));
        records.moveClock(Duration.ofDays(-1)); // a forgotten counter would show
        sweep();
        records.moveClock(Duration.ofDays(1));
        sweep();
        records.moveClock(Duration.ofDays(-1));
        assertThat(granted(theirs)).isEqualTo(token + 1);
    }

    @Test
    void dropsACounterAfterTheRetention() {
        granted(mine);
        clock.advance(TTL.plus(HOUR));
        sweep();
        records.moveClock(Duration.ofDays(-1));
        assertThat(granted(theirs))
                .isEqualTo(clock.epochMicros() - Duration.ofDays(1).toNanos() / 1_000);
    }

    @Test
    void aRenewalProlongsTheRetention() {
        long token = granted(mine);
        clock.advance(Duration.ofSeconds(29));
        records.renew(mine);
        clock.advance(HOUR.plusSeconds(29));
        sweep();
        records.moveClock(Duration.ofDays(-1));
        assertThat(granted(theirs)).isEqualTo(token + 1);
    }

    @Test
    void aCounterThatIsAheadOfTheClockIsKeptUntilTheClockIsThereAndTheRetentionOver() {
        joined(mine);
        long ahead = clock.epochMicros() + Duration.ofHours(5).toNanos() / 1_000;
        confirm(mine, ahead, Duration.ofHours(6));
        clock.advance(Duration.ofHours(6).minusNanos(1_000));
        sweep();
        records.moveClock(Duration.ofDays(-1));
        assertThat(granted(theirs)).isEqualTo(ahead + 1);
    }

    /** Takes as many steps as it needs until what is over is swept. */
    private void sweep() {
        for (int i = 0; i < 256; i++) {
            LockRequest other = request("sweep", Duration.ofMillis(10));
            granted(other);
            records.release(other);
        }
    }

    @Test
    void doesNotGrowWithTheNumberOfNames() {
        int largest = 0;
        for (int i = 0; i < 200_000; i++) {
            LockRequest request = request("lock " + i, Duration.ofSeconds(1));
            granted(request);
            if (i % 2 == 0) {
                records.release(request);
            }
            clock.advance(Duration.ofSeconds(10));
            largest = Math.max(largest, records.size());
        }
        assertThat(largest).isLessThan(1_000);
    }

    @Test
    void listsWhatIsHeldPageByPage() {
        List<String> names = List.of("a", "b", "c", "d", "e");
        names.forEach(name -> granted(request(name, TTL)));
        granted(request("ended", Duration.ofMillis(10)));
        clock.advance(Duration.ofMillis(10));
        List<String> seen = new ArrayList<>();
        Optional<String> next = Optional.empty();
        do {
            var page = records.list(next, 2);
            page.holders().forEach(holder -> seen.add(holder.name()));
            next = page.next();
        } while (next.isPresent());
        assertThat(seen).isEqualTo(names);
    }

    @Test
    void revokeKeepsTheCounter() {
        long token = granted(mine);
        assertThat(records.revoke("a").orElseThrow().label()).contains("label");
        assertThat(records.revoke("a")).isEmpty();
        assertThat(records.renew(mine)).isEqualTo(Ownership.ABSENT);
        assertThat(granted(theirs)).isEqualTo(token + 1);
    }

    @Test
    void showsOnlyAHintOfTheOwnerToken() {
        granted(mine);
        assertThat(records.inspect("a").orElseThrow().ownerHint())
                .isEqualTo(mine.owner().value().substring(0, 8));
    }
}
