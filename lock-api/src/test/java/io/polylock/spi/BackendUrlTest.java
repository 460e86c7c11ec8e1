// SPDX-License-Identifier: Apache-2.0
package io.polylock.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.polylock.spi.BackendUrl.Host;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BackendUrlTest {

    @Test
    void readsAllParts() {
        BackendUrl url = BackendUrl.parse("Redis://me:pw@one:1,two/3?a=b&c=&d");
        assertThat(url.scheme()).isEqualTo("redis");
        assertThat(url.user()).contains("me");
        assertThat(url.password()).contains("pw");
        assertThat(url.hosts())
                .containsExactly(new Host("one", OptionalInt.of(1)), new Host("two", OptionalInt.empty()));
        assertThat(url.path()).isEqualTo("3");
        assertThat(url.options()).containsExactly(Map.entry("a", "b"), Map.entry("c", ""), Map.entry("d", ""));
        assertThat(url.rest()).isEqualTo("//me:pw@one:1,two/3?a=b&c=&d");
    }

    @Test
    void readsAUrlWithoutHosts() {
        BackendUrl url = BackendUrl.parse(" memory:a name ");
        assertThat(url.path()).isEqualTo("a name");
        assertThat(url.hosts()).isEmpty();
        assertThat(url.user()).isEmpty();
        assertThat(url.password()).isEmpty();
        assertThat(url.options()).isEmpty();
    }

    @Test
    void keepsTheRestOfAJdbcUrlAsItIsWritten() {
        String rest = "postgresql://h/db?user=a&password=%40+b";
        assertThat(BackendUrl.parse("jdbc:" + rest).rest()).isEqualTo(rest);
    }

    @Test
    void readsAPasswordWithoutUser() {
        BackendUrl url = BackendUrl.parse("redis://:pw@h");
        assertThat(url.user()).isEmpty();
        assertThat(url.password()).contains("pw");
    }

    @Test
    void readsAUserWithoutPassword() {
        BackendUrl url = BackendUrl.parse("redis://me@h");
        assertThat(url.user()).contains("me");
        assertThat(url.password()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "p%40ss, p@ss",
        "p@ss, p@ss",
        "p:ss, p:ss",
        "p%3Ass, p:ss",
        "p%2Fss, p/ss",
        "p%25ss, p%ss",
        "p+ss, p+ss",
        "p%3Fss, p?ss",
        "%C3%A4, ä"
    })
    void decodesAPassword(String written, String meant) {
        assertThat(BackendUrl.parse("redis://me:" + written + "@h").password()).contains(meant);
    }

    @Test
    void decodesOptionsPathAndUser() {
        BackendUrl url = BackendUrl.parse("redis://m%3Ae@h/a%2Fb?x%3D=1%262+3");
        assertThat(url.user()).contains("m:e");
        assertThat(url.path()).isEqualTo("a/b");
        assertThat(url.options()).containsExactly(Map.entry("x=", "1&2+3"));
    }

    @Test
    void readsIpv6() {
        assertThat(BackendUrl.parse("redis://[::1]:6379,[fe80::a%25eth0],[2001:db8::7]")
                        .hosts())
                .extracting(Host::name)
                .containsExactly("::1", "fe80::a%eth0", "2001:db8::7");
    }

    @Test
    void showsIpv6InBrackets() {
        assertThat(BackendUrl.parse("redis://[::1]:6379")).hasToString("redis://[::1]:6379");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "host", "//host", "1redis://h", ":x", "re dis://h"})
    void refusesATextWithoutScheme(String text) {
        assertThatThrownBy(() -> BackendUrl.parse(text)).hasMessageStartingWith("a lock URL must start with a scheme");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://",
                "redis:///0",
                "redis://h,",
                "redis://,h",
                "redis://h:",
                "redis://h:x",
                "redis://h:-1",
                "redis://h:123456",
                "redis://::1",
                "redis://[::1",
                "redis://h h"
            })
    void refusesHostsThatCannotBe(String text) {
        assertThatThrownBy(() -> BackendUrl.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("a redis URL must name its hosts as host:port");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 65_536, 99_999})
    void refusesAPortThatCannotBe(int port) {
        assertThatThrownBy(() -> BackendUrl.parse("redis://h:" + port))
                .hasMessage("a port must be 1 to 65535 but was " + port);
    }

    @Test
    void takesTheLargestPort() {
        assertThat(BackendUrl.parse("redis://h:65535").hosts().get(0).port()).hasValue(65_535);
    }

    @Test
    void refusesAnOptionThatStandsTwice() {
        assertThatThrownBy(() -> BackendUrl.parse("redis://h?a=1&%61=2"))
                .hasMessage("option 'a' stands twice in a redis URL");
    }

    @Test
    void refusesAPercentWithoutDigits() {
        assertThatThrownBy(() -> BackendUrl.parse("redis://me:50%@h"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a lock URL has a '%' that is not followed by two hexadecimal digits");
    }

    @Test
    void refusesUnknownOptionsAndNamesTheKnownOnes() {
        BackendUrl url = BackendUrl.parse("redis://h?prefix=a&timeuot=2s");
        assertThatThrownBy(() -> url.requireOptions(Set.of("timeout", "prefix")))
                .hasMessage("unknown option 'timeuot' in a redis URL; known options: prefix, timeout");
        assertThatCode(() -> url.requireOptions(Set.of("timeuot", "prefix"))).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({
        "redis://me:secret@h:1/2?password=secret, redis://me@h:1/2?…",
        "redis://:s%65cret@h, redis://h",
        "redis://:a@secret@h, redis://h",
        "redis://:a:secret@h, redis://h",
        "redis://:a%2Fsecret@h, redis://h",
        "jdbc:postgresql://me:secret@h/db, jdbc:postgresql…",
        "jdbc:oracle:thin:me/secret@h, jdbc:oracle…",
        "jdbc:sqlserver://h;password=secret, jdbc:sqlserver…",
        "redlock:redis://:secret@h, redlock:redis…",
        "memory:name, memory:name",
        "redis:secret@h, redis:…",
        "redis:secret/b@h, redis:…",
        "redis://me:1#secret@h, redis://me@h",
    })
    void showsNoSecret(String text, String shown) {
        assertThat(BackendUrl.parse(text)).hasToString(shown);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://me:1/secret@h:1",
                "redis://me:99999/secret@h:1",
                "redis://me:1?secret@h:1",
                "redis://me:1?secret&secret@h:1",
                "redis://:a@b?secret@h",
                "redis://:a@b/secret@h",
                "redis://me:%secret@h",
                "redis://h?secret%zz",
                "redis:// :secret @h h"
            })
    void refusesAPasswordThatIsNotEncodedWithoutShowingIt(String text) {
        Throwable thrown = catchThrowable(() -> BackendUrl.parse(text).requireOptions(Set.of()));
        assertThat(thrown).isInstanceOf(IllegalArgumentException.class);
        assertThat(thrown).hasMessageNotContainingAny("secret", "99999");
        assertThat(thrown).hasNoCause();
    }

    @Test
    void anOptionNameThatLooksLikeASecretIsNotShown() {
        List<String> odd = List.of("pa/ss", "x".repeat(80), "ä");
        for (String name : odd) {
            BackendUrl url = BackendUrl.parse("redis://h?" + name);
            assertThatThrownBy(() -> url.requireOptions(Set.of())).hasMessageNotContaining(name);
        }
    }
}
