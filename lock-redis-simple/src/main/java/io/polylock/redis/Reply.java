// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The values that a script may answer with. */
final class Reply {

    /** What Redis sends for nothing. */
    static final Object NOTHING = List.of();

    private Reply() {}

    static Object orNothing(@Nullable Object value) {
        return value == null ? NOTHING : value;
    }

    static String text(@Nullable Object value) {
        return value instanceof byte[] bytes ? new String(bytes, UTF_8) : "";
    }

    /** What it is, for a message: never the content. */
    static String kind(Object value) {
        if (value instanceof byte[]) {
            return "a text";
        }
        if (value instanceof Long number) {
            return "the number " + number;
        }
        return value instanceof List<?> list ? "a list of " + list.size() : "something unknown";
    }
}
