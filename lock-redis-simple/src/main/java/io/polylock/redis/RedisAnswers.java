// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.spi.Acquisition;
import io.polylock.spi.Holder;
import io.polylock.spi.LockName;
import io.polylock.spi.Ownership;
import io.polylock.spi.Vote;
import io.polylock.spi.Vote.Refused.Reason;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads what the scripts answer. Whatever it does not know is an unknown outcome, never a grant. */
final class RedisAnswers {

    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,16}");
    private static final Pattern COMPANION = Pattern.compile("([0-9]{1,16}) ([0-9a-f]{8}) (.*)", Pattern.DOTALL);
    private static final int HINT = 8;

    private final RedisKeys keys;

    RedisAnswers(RedisKeys keys) {
        this.keys = keys;
    }

    Acquisition acquisition(Object reply, LockName name, String place) {
        if (reply instanceof byte[]) {
            return new Acquisition.Granted(OptionalLong.of(token(reply, place)));
        }
        return new Acquisition.Contended(freeIn(reply, name, place));
    }

    Ownership ownership(Object reply, String place) {
        if (reply.equals(RedisScripts.HELD)) {
            return Ownership.HELD;
        }
        if (reply.equals(RedisScripts.ABSENT)) {
            return Ownership.ABSENT;
        }
        if (reply.equals(RedisScripts.OTHER_OWNER)) {
            return Ownership.OTHER_OWNER;
        }
        throw RedisErrors.strange(place, Reply.kind(reply));
    }

    Vote.Join join(Object reply, LockName name, String place) {
        if (reply instanceof List<?> vote && vote.size() == 4) {
            return new Vote.Joined(
                    token(vote.get(0), place),
                    Reply.text(vote.get(1)),
                    Duration.of(number(vote.get(2), place), ChronoUnit.MICROS),
                    number(vote.get(3), place));
        }
        return new Acquisition.Contended(freeIn(reply, name, place));
    }

    Vote.Confirmation confirmation(Object reply, LockName name, String place) {
        refuse(reply, name, place);
        if (reply.equals(RedisScripts.CONFIRMED)) {
            return new Vote.Confirmed();
        }
        if (reply.equals(RedisScripts.NOT_OWNER)) {
            return new Vote.Refused(Reason.NOT_OWNER);
        }
        if (reply.equals(RedisScripts.OUTDATED)) {
            return new Vote.Refused(Reason.OUTDATED);
        }
        if (reply.equals(RedisScripts.AHEAD_OF_CLOCK)) {
            return new Vote.Refused(Reason.AHEAD_OF_CLOCK);
        }
        if (reply.equals(RedisScripts.FORGOTTEN)) {
            return new Vote.Refused(Reason.FORGOTTEN);
        }
        throw RedisErrors.strange(place, Reply.kind(reply));
    }

    /** Whether a lock was free when we began to wait for it. */
    boolean watchedFree(Object reply, LockName name, String place) {
        if (reply.equals(RedisScripts.FOREIGN_WAITING)) {
            throw foreign(RedisKeys.waiting(keys.lock(name)), place);
        }
        if (!reply.equals(RedisScripts.WATCHED_FREE) && !reply.equals(RedisScripts.WATCHED_HELD)) {
            throw RedisErrors.strange(place, Reply.kind(reply));
        }
        return reply.equals(RedisScripts.WATCHED_FREE);
    }

    /** Who holds a lock, from its record and its companion, which tells of the holder only if it names the same one. */
    Holder holder(LockName name, Object record, @Nullable Object companion, String place) {
        if (!(record instanceof List<?> parts && parts.size() >= 3 && parts.get(2) instanceof Long millis)) {
            throw RedisErrors.strange(place, Reply.kind(record));
        }
        String hint = parts.get(1) == null ? Reply.text(parts.get(0)) : hint(Reply.text(parts.get(1)));
        Optional<Duration> remaining = millis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
        Matcher kept = COMPANION.matcher(Reply.text(companion));
        if (kept.matches() && kept.group(2).equals(hint)) {
            return new Holder(
                    name.value(),
                    hint,
                    Optional.of(kept.group(3)),
                    remaining,
                    OptionalLong.of(Long.parseLong(kept.group(1))));
        }
        return new Holder(name.value(), hint, Optional.empty(), remaining, OptionalLong.empty());
    }

    private Optional<Duration> freeIn(Object reply, LockName name, String place) {
        refuse(reply, name, place);
        if (reply.equals(RedisScripts.NO_END)) {
            return Optional.empty();
        }
        if (reply instanceof Long millis && millis >= 0) {
            return Optional.of(Duration.ofMillis(millis));
        }
        throw RedisErrors.strange(place, Reply.kind(reply));
    }

    private void refuse(Object reply, LockName name, String place) {
        if (reply.equals(RedisScripts.FOREIGN_COMPANION)) {
            throw foreign(RedisKeys.companion(keys.lock(name)), place);
        }
        if (reply.equals(RedisScripts.FOREIGN_INCARNATION)) {
            throw foreign(RedisKeys.incarnation(), place);
        }
        if (reply.equals(RedisScripts.COUNTER_FULL)) {
            throw new LockBackendException(
                    Outcome.REFUSED, "the fencing counter of lock '" + name + "' has reached 2^53 and cannot grow");
        }
    }

    private static LockBackendException foreign(String key, String place) {
        return new LockBackendException(
                Outcome.REFUSED,
                "key \"" + key.replace("\u0001", "\\x01").replace("\u0002", "\\x02") + "\" of " + place
                        + " is Polylock's but holds something else; nothing was changed");
    }

    private static long token(@Nullable Object reply, String place) {
        long token = number(reply, place);
        if (token == 0) {
            throw RedisErrors.strange(place, "a fencing token of 0");
        }
        return token;
    }

    private static long number(@Nullable Object reply, String place) {
        String text = Reply.text(reply);
        if (!NUMBER.matcher(text).matches()) {
            throw RedisErrors.strange(place, "a text that is no number");
        }
        return Long.parseLong(text);
    }

    private static String hint(String value) {
        return value.codePointCount(0, value.length()) <= HINT
                ? value
                : value.substring(0, value.offsetByCodePoints(0, HINT));
    }
}
