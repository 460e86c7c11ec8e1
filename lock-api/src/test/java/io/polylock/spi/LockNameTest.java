// SPDX-License-Identifier: Apache-2.0
package io.polylock.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockNameTest {

    private static final String ASTRAL = "\uD83D\uDD12";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x",
                " x ",
                "orders/42",
                "{a}:b*c?[d]",
                "'; DROP TABLE",
                "ä",
                "a\u0308",
                "a\u2028b",
                ASTRAL,
                "%00"
            })
    void takesEveryOtherText(String name) {
        assertThat(new LockName(name).value()).isEqualTo(name);
    }

    @Test
    void countsCodePoints() {
        assertThat(new LockName(ASTRAL.repeat(255)).value()).hasSize(510);
        assertThat(new LockName("x".repeat(255)).value()).hasSize(255);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", ASTRAL})
    void refuses256CodePoints(String point) {
        assertThatThrownBy(() -> new LockName(point.repeat(256)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a lock name must have at most 255 code points but has 256: '" + point.repeat(40) + "…'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t", "\u2003"})
    void refusesBlankNames(String name) {
        assertThatThrownBy(() -> new LockName(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("a lock name must not be blank but was '");
    }

    @ParameterizedTest
    @ValueSource(chars = {0, '\n', '\t', 0x1B, 0x7F, 0x85, 0x9F})
    void refusesControlCharactersAndShowsThemEscaped(char control) {
        String code = String.format("%04X", (int) control);
        assertThatThrownBy(() -> new LockName("a" + control + "b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "a lock name must not contain control characters but has U+" + code + ": 'a\\u" + code + "b'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\uD83D", "\uDD12b", "\uDD12\uD83D"})
    void refusesLoneSurrogates(String name) {
        assertThatThrownBy(() -> new LockName(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a lock name must be well-formed but has the lone surrogate U+D");
    }

    @Test
    void tellsNamesApartThatLookAlike() {
        assertThat(new LockName("ä")).isNotEqualTo(new LockName("a\u0308"));
        assertThat(new LockName("A")).isNotEqualTo(new LockName("a"));
        assertThat(new LockName("a ")).isNotEqualTo(new LockName("a"));
    }
}
