// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import io.polylock.spi.LockName;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** What each operation sends: the last place before the wire, where durations become numbers, rounded up. */
final class RedisSteps {

    private static final String RETENTION_MILLIS = millis(Duration.ofHours(1));
    private static final Duration LARGEST_SKEW = Duration.ofDays(36_500);
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long NANOS_PER_MICRO = 1_000;

    private final RedisKeys keys;

    /** Where a channel goes in the list of those who wait. */
    record Place(String channel, String push) {

        /** Ahead of all: it was this one's turn, and somebody got in between. */
        static Place first(String channel) {
            return new Place(channel, "lpush");
        }

        static Place last(String channel) {
            return new Place(channel, "rpush");
        }
    }

    RedisSteps(RedisKeys keys) {
        this.keys = keys;
    }

    /** Ten parts at most before we wait: from one who owes it a password, a server reads no more, and says so less clearly. */
    Script.Call acquire(LockRequest request, Optional<Place> place) {
        List<String> arguments = new ArrayList<>(grant(request));
        place.ifPresent(ours -> arguments.addAll(List.of(ours.channel, ours.push)));
        return RedisScripts.ACQUIRE.on(all(request.name()), arguments);
    }

    Script.Call handOver(OwnerToken from, LockRequest to) {
        return RedisScripts.HAND_OVER.on(
                all(to.name()),
                List.of(to.owner().value(), millis(to.ttl()), to.label(), RETENTION_MILLIS, from.value()));
    }

    Script.Call join(LockRequest request, Optional<OwnerToken> from) {
        String lock = keys.lock(request.name());
        return RedisScripts.JOIN.on(
                List.of(lock, RedisKeys.companion(lock), RedisKeys.waiting(lock), RedisKeys.incarnation()),
                List.of(
                        request.owner().value(),
                        millis(request.ttl()),
                        request.label(),
                        RETENTION_MILLIS,
                        from.map(OwnerToken::value).orElse(""),
                        UUID.randomUUID().toString()));
    }

    Script.Call confirm(LockRequest request, String incarnation, long token, Duration maxSkew) {
        Duration skew = maxSkew.compareTo(LARGEST_SKEW) > 0 ? LARGEST_SKEW : maxSkew;
        String lock = keys.lock(request.name());
        return RedisScripts.CONFIRM.on(
                List.of(lock, RedisKeys.companion(lock), RedisKeys.incarnation()),
                List.of(
                        request.owner().value(),
                        Long.toString(token),
                        request.label(),
                        RETENTION_MILLIS,
                        Long.toString(skew.toNanos() / NANOS_PER_MICRO),
                        incarnation));
    }

    Script.Call renew(LockRequest request) {
        return RedisScripts.RENEW.on(
                all(request.name()), List.of(request.owner().value(), millis(request.ttl()), RETENTION_MILLIS));
    }

    Script.Call release(LockRequest request, Optional<Place> place) {
        String owner = request.owner().value();
        return RedisScripts.RELEASE.on(
                line(request.name()),
                place.map(ours -> List.of(owner, ours.channel)).orElse(List.of(owner)));
    }

    Script.Call watch(LockName name, String channel) {
        return RedisScripts.WATCH.on(all(name), List.of(channel));
    }

    Script.Call passOn(LockName name) {
        return RedisScripts.PASS_ON.on(line(name), List.of());
    }

    Script.Call inspect(LockName name) {
        return RedisScripts.INSPECT.on(pair(name), List.of());
    }

    Script.Call revoke(LockName name) {
        return RedisScripts.REVOKE.on(all(name), List.of());
    }

    Script.Call scan(String cursor, int limit) {
        return RedisScripts.SCAN.on(List.of(), List.of(cursor, keys.pattern(), Integer.toString(limit)));
    }

    Script.Call companions(List<LockName> names) {
        return RedisScripts.COMPANIONS.on(
                names.stream().map(name -> RedisKeys.companion(keys.lock(name))).toList(), List.of());
    }

    private static List<String> grant(LockRequest request) {
        return List.of(request.owner().value(), millis(request.ttl()), request.label(), RETENTION_MILLIS);
    }

    private List<String> pair(LockName name) {
        String lock = keys.lock(name);
        return List.of(lock, RedisKeys.companion(lock));
    }

    private List<String> line(LockName name) {
        String lock = keys.lock(name);
        return List.of(lock, RedisKeys.waiting(lock));
    }

    private List<String> all(LockName name) {
        String lock = keys.lock(name);
        return List.of(lock, RedisKeys.companion(lock), RedisKeys.waiting(lock));
    }

    private static String millis(Duration duration) {
        return Long.toString((duration.toNanos() + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI);
    }
}
