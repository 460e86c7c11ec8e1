// SPDX-License-Identifier: Apache-2.0
package io.polylock.servers;

import java.util.Optional;
import java.util.stream.Stream;

/** What the machine decides, not the test: a system property, or else an environment variable. Blank means not set. */
enum Setting {
    REDIS_URL("polylock.redis.url", "POLYLOCK_REDIS_URL"),
    REDIS_BINARY("polylock.redis.binary", "POLYLOCK_REDIS_BINARY");

    private final String property;
    private final String variable;

    Setting(String property, String variable) {
        this.property = property;
        this.variable = variable;
    }

    Optional<String> value() {
        return Stream.of(
                        Optional.ofNullable(System.getProperty(property)), Optional.ofNullable(System.getenv(variable)))
                .flatMap(Optional::stream)
                .filter(value -> !value.isBlank())
                .findFirst();
    }

    @Override
    public String toString() {
        return variable + " (system property " + property + ")";
    }
}
