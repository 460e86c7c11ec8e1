// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.spi.Fencing;
import io.polylock.spi.Inspection;
import java.time.Duration;
import java.util.Objects;

/** The bounds on what users and backends may pass in; the only place that knows them. */
public final class Checks {

    public static final Duration SMALLEST_TTL = Duration.ofMillis(10);
    public static final Duration SMALLEST_RENEWED_TTL = Duration.ofMillis(300);
    public static final Duration LARGEST_TTL = Duration.ofDays(365);
    public static final int LONGEST_NAME = 255;

    private Checks() {}

    public static void lockName(String name) {
        Objects.requireNonNull(name, "name");
        if (name.isBlank()) {
            throw new IllegalArgumentException("a lock name must not be blank but was '" + shown(name) + "'");
        }
        text("a lock name", name);
    }

    public static void label(String label) {
        text("a label", Objects.requireNonNull(label, "label"));
    }

    public static void ttl(Duration ttl) {
        Objects.requireNonNull(ttl, "ttl");
        if (ttl.compareTo(SMALLEST_TTL) < 0 || ttl.compareTo(LARGEST_TTL) > 0) {
            throw new IllegalArgumentException(
                    "a TTL must be " + SMALLEST_TTL + " to " + LARGEST_TTL + " but was " + ttl);
        }
    }

    public static void answerWithin(Duration bound) {
        Objects.requireNonNull(bound, "answerWithin");
        if (bound.isNegative() || bound.isZero() || bound.compareTo(LARGEST_TTL) > 0) {
            throw new IllegalArgumentException(
                    "answerWithin must be positive and at most " + LARGEST_TTL + " but was " + bound);
        }
    }

    public static void fencingToken(long token) {
        if (token <= 0 || token >= Fencing.TOKEN_LIMIT) {
            throw new IllegalArgumentException("a fencing token must be positive and below 2^53 but was " + token);
        }
    }

    public static void notNegative(String what, Duration value) {
        if (Objects.requireNonNull(value, what).isNegative()) {
            throw new IllegalArgumentException(what + " must not be negative but was " + value);
        }
    }

    public static void pageLimit(int limit) {
        if (limit < 1 || limit > Inspection.LARGEST_PAGE) {
            throw new IllegalArgumentException(
                    "a page limit must be 1 to " + Inspection.LARGEST_PAGE + " but was " + limit);
        }
    }

    /** The nanoseconds of a duration, or the longest time that a long can count. */
    public static long saturatedNanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException tooLong) {
            return duration.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    private static void text(String what, String text) {
        int length = text.codePointCount(0, text.length());
        if (length > LONGEST_NAME) {
            throw new IllegalArgumentException(what + " must have at most " + LONGEST_NAME + " code points but has "
                    + length + ": '" + shown(text) + "'");
        }
        text.codePoints().forEach(point -> {
            if (Character.isISOControl(point)) {
                throw new IllegalArgumentException(what + " must not contain control characters but has U+"
                        + String.format("%04X", point) + ": '" + shown(text) + "'");
            }
            if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
                throw new IllegalArgumentException(what + " must be well-formed but has the lone surrogate U+"
                        + String.format("%04X", point) + ": '" + shown(text) + "'");
            }
        });
    }

    private static String shown(String text) {
        StringBuilder shown = new StringBuilder();
        text.codePoints().limit(40).forEach(point -> {
            if (Character.isISOControl(point) || Character.getType(point) == Character.SURROGATE) {
                shown.append(String.format("\\u%04X", point));
            } else {
                shown.appendCodePoint(point);
            }
        });
        return text.codePointCount(0, text.length()) > 40 ? shown.append('…').toString() : shown.toString();
    }
}
