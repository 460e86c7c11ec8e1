// SPDX-License-Identifier: Apache-2.0
package io.polylock.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OwnerTokenTest {

    @Test
    void has128BitsThatNeverRepeat() {
        assertThat(IntStream.range(0, 1_000).mapToObj(i -> OwnerToken.random().value()))
                .doesNotHaveDuplicates()
                .allMatch(value -> value.matches("[0-9a-f]{32}"));
    }

    @Test
    void isReadBack() {
        OwnerToken token = OwnerToken.random();
        assertThat(OwnerToken.of(token.value())).isEqualTo(token).hasSameHashCodeAs(token);
        assertThat(OwnerToken.random()).isNotEqualTo(token);
    }

    @Test
    void showsOnlyItsBeginning() {
        assertThat(OwnerToken.of("0123456789abcdef0123456789abcdef")).hasToString("01234567");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0123456789abcdef0123456789abcde",
                "0123456789abcdef0123456789abcdef0",
                "0123456789ABCDEF0123456789ABCDEF",
                "0123456789abcdef0123456789abcdeg",
                "0123456789abcdef0123456789abcdef\n"
            })
    void refusesAnyOtherTextWithoutShowingIt(String text) {
        assertThatThrownBy(() -> OwnerToken.of(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("an owner token must be 32 lower-case hexadecimal digits");
    }
}
