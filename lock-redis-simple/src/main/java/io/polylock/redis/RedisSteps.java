// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import io.polylock.spi.LockName;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import java.time.Duration;
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

    RedisSteps(RedisKeys keys) {
        this.keys = keys;
    }

    Script.Call acquire(LockRequest request) {
        return RedisScripts.ACQUIRE.on(
                pair(request.name()),
                List.of(request.owner().value(), millis(request.ttl()), request.label(), RETENTION_MILLIS));
    }

    Script.Call handOver(OwnerToken from, LockRequest to) {
        return RedisScripts.HAND_OVER.on(
                pair(to.name()),
                List.of(to.owner().value(), millis(to.ttl()), to.label(), RETENTION_MILLIS, from.value()));
    }

    Script.Call join(LockRequest request, Optional<OwnerToken> from) {
        String lock = keys.lock(request.name());
        return RedisScripts.JOIN.on(
                List.of(lock, RedisKeys.companion(lock), RedisKeys.incarnation()),
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
                pair(request.name()), List.of(request.owner().value(), millis(request.ttl()), RETENTION_MILLIS));
    }

    Script.Call release(LockRequest request) {
        return RedisScripts.RELEASE.on(
                List.of(keys.lock(request.name())), List.of(request.owner().value()));
    }

    Script.Call inspect(LockName name) {
        return RedisScripts.INSPECT.on(pair(name), List.of());
    }

    Script.Call revoke(LockName name) {
        return RedisScripts.REVOKE.on(pair(name), List.of());
    }

    Script.Call scan(String cursor, int limit) {
        return RedisScripts.SCAN.on(List.of(), List.of(cursor, keys.pattern(), Integer.toString(limit)));
    }

    Script.Call companions(List<LockName> names) {
        return RedisScripts.COMPANIONS.on(
                names.stream().map(name -> RedisKeys.companion(keys.lock(name))).toList(), List.of());
    }

    private List<String> pair(LockName name) {
        String lock = keys.lock(name);
        return List.of(lock, RedisKeys.companion(lock));
    }

    private static String millis(Duration duration) {
        return Long.toString((duration.toNanos() + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI);
    }
}
