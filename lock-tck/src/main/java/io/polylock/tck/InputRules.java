// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.polylock.DistributedLock;
import io.polylock.LockManager;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** INP: what may be asked for. */
abstract class InputRules extends Rules {

    InputRules(Supplier<Stage> stage) {
        super(stage);
    }

    @Test
    @DisplayName(
            "INP-1 MUST refuse a name that is empty, blank, longer than 255 code points, ill-formed, or has control characters, before any request")
    void inp1_refusesBadNames() {
        Tampered backend = stage().tampered();
        LockManager manager = stage().manager(backend);
        for (String name : List.of(
                "",
                " ",
                "\t",
                "x".repeat(256),
                "\uD83D\uDD12".repeat(256),
                "nul\0",
                "line\n",
                "del\u007f",
                "c1\u0085",
                "\ud800",
                "a\udc00b")) {
            assertThrows(IllegalArgumentException.class, () -> manager.lock(name), "name '" + name + "'");
        }
        assertEquals(0, backend.acquires.get());
    }

    @Test
    @DisplayName(
            "INP-2 MUST take every other name literally: whatever a store reads into characters, length, case, accents and blanks")
    void inp2_takesNamesLiterally() {
        LockBackend backend = stage().backend();
        String unique = stage().name();
        List<String> names = new ArrayList<>(List.of(
                "'",
                "\"",
                "\\",
                "%",
                "_",
                ";--",
                "$1",
                "?",
                "{ts",
                "'); drop table locks; --",
                "{",
                "}",
                "{}",
                "{a}b",
                "a{b",
                "a}b",
                "}x{",
                "a{}{b}",
                "*",
                "[a]",
                "a b",
                "a ",
                " a",
                "a",
                "A",
                "\u00e9",
                "e\u0301",
                "\u00df",
                "ss",
                "\u0130",
                "i",
                "I",
                "\uD83D\uDD12",
                ":",
                "a:token",
                "a/b",
                "../a",
                "\u200b",
                "\ufeff"));
        names.replaceAll(name -> unique + name);
        // short names of our own: a backend may derive other keys from a name
        names.addAll(List.of(unique, unique + ":fence", unique + ":token", "{" + unique + "}:token"));
        names.add("x".repeat(255 - unique.length()) + unique);
        String longest = unique + "x".repeat(254 - unique.length());
        names.addAll(List.of(longest + "a", longest + "b"));
        names.add("\uD83D\uDD12".repeat(255 - unique.length()) + unique);

        List<LockRequest> held =
                names.stream().map(name -> taken(backend, name, Stage.LONG_TTL)).toList();

        held.forEach(request -> assertContended(
                backend.tryAcquire(stage().request(request.name().value(), Stage.LONG_TTL))));
        held.forEach(request -> assertHeld(backend.release(request)));
    }

    @Test
    @DisplayName(
            "INP-3 MUST refuse a TTL below 10 ms, below 300 ms with renewal, or above 365 days, before any request")
    void inp3_refusesBadTtls() {
        Tampered backend = stage().tampered();
        DistributedLock lock = stage().manager(backend).lock(stage().name());
        for (Duration ttl : List.of(
                Duration.ZERO,
                Duration.ofNanos(1),
                Duration.ofNanos(999_999),
                Duration.ofMillis(-5),
                Duration.ofNanos(9_999_999),
                Duration.ofDays(365).plusNanos(1),
                Duration.ofMillis(Long.MAX_VALUE),
                Duration.ofSeconds(Long.MAX_VALUE),
                Duration.ofSeconds(Long.MIN_VALUE))) {
            assertThrows(IllegalArgumentException.class, () -> lock.withTtl(ttl), "TTL " + ttl);
        }
        IllegalArgumentException renewed =
                assertThrows(IllegalArgumentException.class, () -> lock.withTtl(Duration.ofMillis(299))
                        .tryAcquire());
        assertTrue(String.valueOf(renewed.getMessage()).contains("PT0.299S"), "the message does not show the value");
        assertEquals(0, backend.acquires.get());
    }

    @Test
    @DisplayName(
            "INP-4 MUST refuse a negative wait, a maximum hold that is not positive, and a minimum validity that no grant can have, before any request")
    void inp4_refusesBadWaits() {
        Tampered backend = stage().tampered();
        DistributedLock lock = stage().manager(backend).lock(stage().name());

        assertThrows(IllegalArgumentException.class, () -> lock.acquire(Duration.ofNanos(-1)));
        assertThrows(IllegalArgumentException.class, () -> lock.acquire(Duration.ofSeconds(Long.MIN_VALUE)));
        assertThrows(IllegalArgumentException.class, () -> lock.withMaxHold(Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> lock.withMinValidity(Duration.ofNanos(-1)));
        assertThrows(
                IllegalArgumentException.class,
                () -> lock.withTtl(Stage.TTL).withMinValidity(Stage.TTL).tryAcquire());
        assertEquals(0, backend.acquires.get());
    }
}
