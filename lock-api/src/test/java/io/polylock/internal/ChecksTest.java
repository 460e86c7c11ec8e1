// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polylock.LockManager;
import io.polylock.ManagerOptions;
import io.polylock.memory.MemoryLockBackend;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChecksTest {

    @ParameterizedTest
    @ValueSource(strings = {"PT0.01S", "PT0.010000001S", "PT0.0105S", "PT30S", "PT8760H"})
    void takesATtlFrom10MillisecondsTo365Days(Duration ttl) {
        assertThatCode(() -> Checks.ttl(ttl)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-30S", "PT0.009999999S", "PT8760H0.000000001S", "PT2562047788015215H30M7S"})
    void refusesAnyOtherTtlWithRuleAndValue(Duration ttl) {
        assertThatThrownBy(() -> Checks.ttl(ttl))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a TTL must be PT0.01S to PT8760H but was " + ttl);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "PT8760H0.000000001S"})
    void refusesABoundThatIsNotPositiveOrTooLong(Duration bound) {
        assertThatThrownBy(() -> Checks.answerWithin(bound))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("answerWithin must be positive and at most PT8760H but was " + bound);
    }

    @Test
    void refusesAMaximumHoldThatIsNotPositive() {
        assertThatThrownBy(() -> LockOptions.DEFAULTS.withMaxHold(Duration.ZERO))
                .hasMessage("the maximum hold must be positive but was PT0S");
    }

    @Test
    void refusesANegativeMinimumValidity() {
        assertThatThrownBy(() -> LockOptions.DEFAULTS.withMinValidity(Duration.ofNanos(-1)))
                .hasMessage("minimum validity must not be negative but was PT-0.000000001S");
    }

    @Test
    void refusesANegativeGrace() {
        assertThatThrownBy(() -> ManagerOptions.DEFAULTS.withCloseGrace(Duration.ofNanos(-1)))
                .hasMessage("close grace must not be negative but was PT-0.000000001S");
    }

    @Test
    void takesAnEmptyLabelAndOneOf255CodePoints() {
        assertThatCode(() -> {
                    Checks.label("");
                    Checks.label("x".repeat(255));
                })
                .doesNotThrowAnyException();
    }

    @Test
    void refusesALabelOf256CodePointsOrWithControlCharacters() {
        assertThatThrownBy(() -> ManagerOptions.DEFAULTS.withLabel("x".repeat(256)))
                .hasMessageContaining("a label must have at most 255 code points but has 256");
        assertThatThrownBy(() -> ManagerOptions.DEFAULTS.withLabel("a\u0000b"))
                .hasMessage("a label must not contain control characters but has U+0000: 'a\\u0000b'");
    }

    @Test
    void theDefaultLabelIsALabel() {
        assertThat(Hosts.label()).endsWith(":" + ProcessHandle.current().pid());
    }

    @Test
    void saturatesWhatALongCannotCount() {
        assertThat(Checks.saturatedNanos(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(Long.MAX_VALUE);
        assertThat(Checks.saturatedNanos(Duration.ofSeconds(Long.MIN_VALUE))).isEqualTo(Long.MIN_VALUE);
        assertThat(Checks.saturatedNanos(Duration.ofNanos(42))).isEqualTo(42);
    }

    @Test
    void namesAreCheckedWhereTheUserNamesALock() {
        try (LockManager locks = LockManager.of(MemoryLockBackend.create())) {
            assertThatThrownBy(() -> locks.lock(" "))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("a lock name must not be blank but was ' '");
        }
    }
}
