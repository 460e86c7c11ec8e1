// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.memory.VirtualClock;
import io.polylock.spi.LockClock;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ValidityTest {

    private final VirtualClock clock = new VirtualClock();

    @ParameterizedTest
    @CsvSource({
        "10000000, 2100000",
        "10000001, 2100001", // rounded up: trust is never too long
        "10000999, 2100010",
        "300000000, 5000000",
        "1000000000, 12000000",
        "30000000000, 302000000",
        "31536000000000000, 315360002000000",
    })
    void driftIsOnePercentAndTwoMilliseconds(long ttlNanos, long driftNanos) {
        assertThat(Numbers.DEFAULTS.driftNanos(Duration.ofNanos(ttlNanos))).isEqualTo(driftNanos);
    }

    @Test
    void remainsForTheTtlLessTheDrift() {
        Validity validity = Validity.startingNow(clock, Duration.ofSeconds(30), Numbers.DEFAULTS);
        clock.advance(Duration.ofSeconds(1));
        assertThat(validity.remainingNanos(clock.nanoTime()))
                .isEqualTo(Duration.ofMillis(28_698).toNanos());
    }

    @Test
    void survivesANanoTimeThatOverflows() {
        Validity validity = new Validity(Long.MAX_VALUE - 5, 0, 100, 1);
        assertThat(validity.remainingNanos(Long.MAX_VALUE + 5)).isEqualTo(90);
    }

    @Test
    void aShortSleepComesOffTheValidity() {
        VirtualClock clock = new VirtualClock();
        Validity validity = Validity.startingNow(clock, Duration.ofSeconds(30), Numbers.DEFAULTS);
        clock.moveWallClock(Duration.ofMillis(300));
        assertThat(validity.sleptThrough(clock)).isFalse();
        assertThat(Duration.ofNanos(validity.unseenNanos(clock)))
                .isBetween(Duration.ofMillis(300).minusNanos(1_000), Duration.ofMillis(300));
        clock.moveWallClock(Duration.ofHours(-1));
        assertThat(validity.unseenNanos(clock)).isZero();
    }

    @Test
    void sleptIfTheWallClockIsAheadByMoreThanTheDrift() {
        Validity validity = Validity.startingNow(clock, Duration.ofSeconds(30), Numbers.DEFAULTS);
        clock.moveWallClock(Duration.ofMillis(302));
        assertThat(validity.sleptThrough(clock)).isFalse();
        clock.moveWallClock(Duration.ofNanos(1_000));
        assertThat(validity.sleptThrough(clock)).isTrue();
    }

    @Test
    void aWallClockThatJumpsByAThousandYearsIsASleep() {
        Validity validity = new Validity(0, 0, 100, 1);
        long thousandYears = Duration.ofDays(365_000).toSeconds() * 1_000_000;
        assertThat(validity.sleptThrough(new Readings(() -> 0, () -> thousandYears)))
                .isTrue();
    }

    @Test
    void aPauseOfTheThreadBetweenTheTwoReadingsIsNoSleep() {
        Validity validity = Validity.startingNow(clock, Duration.ofSeconds(30), Numbers.DEFAULTS);
        LockClock readByASlowThread =
                new Readings(() -> thenPause(clock.nanoTime()), () -> thenPause(clock.epochMicros()));
        assertThat(validity.sleptThrough(readByASlowThread)).isFalse();
    }

    private long thenPause(long reading) {
        clock.advance(Duration.ofSeconds(1));
        return reading;
    }

    /** A clock with scripted readings. */
    private record Readings(LongSupplier nanos, LongSupplier micros) implements LockClock {

        @Override
        public long nanoTime() {
            return nanos.getAsLong();
        }

        @Override
        public long epochMicros() {
            return micros.getAsLong();
        }

        @Override
        public Pause newPause() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Workers newWorkers(String name) {
            throw new UnsupportedOperationException();
        }
    }
}
