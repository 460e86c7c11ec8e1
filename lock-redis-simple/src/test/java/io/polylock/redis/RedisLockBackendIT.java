// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import static io.polylock.redis.Requests.PATIENCE;
import static io.polylock.redis.Requests.TTL;
import static io.polylock.redis.Requests.contended;
import static io.polylock.redis.Requests.fresh;
import static io.polylock.redis.Requests.token;
import static io.polylock.redis.Requests.until;
import static io.polylock.redis.Requests.withTtl;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.redis.Way.Opened;
import io.polylock.servers.RedisServer;
import io.polylock.spi.Acquisition;
import io.polylock.spi.BatchRenewal;
import io.polylock.spi.Fencing;
import io.polylock.spi.Handover;
import io.polylock.spi.Holder;
import io.polylock.spi.Inspection;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockName;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import io.polylock.spi.Ownership;
import io.polylock.spi.QuorumMember;
import io.polylock.spi.ReleaseSignals;
import io.polylock.spi.RenewResult;
import io.polylock.spi.ResendingClient;
import io.polylock.spi.Vote;
import io.polylock.spi.Vote.Refused.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/** What each operation does to a real server. */
@ParameterizedClass
@EnumSource(Way.class)
class RedisLockBackendIT {

    private static final String NAME = "orders/42";
    private static final String KEY = "lock:" + NAME;
    private static final String COMPANION = RedisKeys.companion(KEY);
    private static final long RETENTION = Duration.ofHours(1).toMillis();
    private static final long LIMIT = 1L << 53;

    private static RedisServer server;
    private static RedisClient redis;

    private final Way way;
    private Opened opened;
    private LockBackend backend;

    RedisLockBackendIT(Way way) {
        this.way = way;
    }

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        redis = RedisClient.create(server.host(), server.port());
    }

    @AfterAll
    static void stop() {
        redis.close();
        server.close();
    }

    @BeforeEach
    void open() {
        redis.flushAll();
        opened = way.open(server, RedisOptions.DEFAULTS);
        backend = opened.backend();
    }

    @AfterEach
    void close() {
        opened.close();
    }

    // acquire

    @Test
    void storesThePlainKeyThatOtherClientsKnow() {
        LockRequest request = fresh(NAME);

        backend.tryAcquire(request);

        assertThat(redis.get(KEY)).isEqualTo(request.owner().value());
        assertThat(redis.pttl(KEY)).isBetween(TTL.toMillis() - 2_000, TTL.toMillis());
    }

    @Test
    void refusesASecondOwnerAndSaysWhenToComeBack() {
        backend.tryAcquire(fresh(NAME));

        Acquisition second = backend.tryAcquire(fresh(NAME));

        assertThat(contended(second).freeIn().orElseThrow()).isBetween(TTL.minusSeconds(2), TTL);
    }

    @Test
    void answersARepeatedRequestLikeTheFirst() {
        LockRequest request = fresh(NAME, Duration.ofSeconds(10));
        long first = token(backend.tryAcquire(request));

        assertThat(token(backend.tryAcquire(withTtl(request, Duration.ofSeconds(60)))))
                .isEqualTo(first);
        assertThat(redis.pttl(KEY)).isBetween(58_000L, 60_000L);
        assertThat(token(backend.tryAcquire(request))).isEqualTo(first);
        assertThat(redis.pttl(KEY)).as("never nearer").isBetween(58_000L, 60_000L);
    }

    @Test
    void excludesAndIsExcludedByAPlainClient() {
        redis.set(KEY, "of-another-client", SetParams.setParams().nx().px(20_000));
        assertThat(contended(backend.tryAcquire(fresh(NAME))).freeIn().orElseThrow())
                .isBetween(Duration.ofSeconds(18), Duration.ofSeconds(20));
        redis.del(KEY);

        backend.tryAcquire(fresh(NAME));

        assertThat(redis.set(KEY, "x", SetParams.setParams().nx().px(20_000))).isNull();
    }

    @Test
    void takesAForeignKeyWithoutEndForALockThatNobodyCanFree() {
        List<Runnable> foreign = List.of(
                () -> redis.set(KEY, "for ever"),
                () -> redis.set(KEY, ""),
                () -> redis.hset(KEY, "field", "value"),
                () -> redis.rpush(KEY, "element"));
        for (Runnable put : foreign) {
            redis.flushAll();
            put.run();
            byte[] before = redis.dump(KEY);
            LockRequest request = fresh(NAME);

            assertThat(contended(backend.tryAcquire(request)).freeIn()).isEmpty();
            assertThat(backend.renew(request)).isEqualTo(Ownership.OTHER_OWNER);
            assertThat(backend.release(request)).isEqualTo(Ownership.OTHER_OWNER);
            assertThat(redis.dump(KEY)).isEqualTo(before);
            assertThat(redis.dbSize()).isEqualTo(1);
        }
    }

    @Test
    void saysWhenAForeignKeyOfAnotherTypeEnds() {
        redis.hset(KEY, "field", "value");
        redis.pexpire(KEY, 5_000);

        assertThat(contended(backend.tryAcquire(fresh(NAME))).freeIn().orElseThrow())
                .isBetween(Duration.ofSeconds(3), Duration.ofSeconds(5));
    }

    @Test
    void givesItsOwnRecordAnEndAgain() {
        LockRequest request = fresh(NAME);
        backend.tryAcquire(request);
        redis.persist(KEY);

        assertThat(backend.renew(request)).isEqualTo(Ownership.HELD);
        assertThat(redis.pttl(KEY)).isPositive();
        redis.persist(KEY);
        token(backend.tryAcquire(request));
        assertThat(redis.pttl(KEY)).isPositive();
    }

    @ParameterizedTest
    @MethodSource("io.polylock.redis.RedisKeysTest#names")
    void takesEveryName(String name) {
        LockRequest request = fresh(name);

        long first = token(backend.tryAcquire(request));

        assertThat(redis.get(("lock:" + name).getBytes(UTF_8)))
                .isEqualTo(request.owner().value().getBytes(UTF_8));
        assertThat(contended(backend.tryAcquire(fresh(name))).freeIn()).isPresent();
        assertThat(backend.release(request)).isEqualTo(Ownership.HELD);
        assertThat(token(backend.tryAcquire(fresh(name)))).isGreaterThan(first);
    }

    @Test
    void keepsLocksOfDifferentPrefixesApart() {
        try (Opened other = way.open(server, new RedisOptions(""))) {
            token(backend.tryAcquire(fresh(NAME)));
            token(other.backend().tryAcquire(fresh(NAME)));

            assertThat(redis.exists(KEY, NAME)).isEqualTo(2);
        }
    }

    @Test
    void takesTheShortestAndTheLongestTtl() {
        token(backend.tryAcquire(fresh("long", Duration.ofDays(365))));
        assertThat(redis.pttl("lock:long"))
                .isBetween(
                        Duration.ofDays(365).toMillis() - 5_000,
                        Duration.ofDays(365).toMillis());

        token(backend.tryAcquire(fresh("short", Duration.ofMillis(10))));
        until(PATIENCE, () -> backend.tryAcquire(fresh("short")) instanceof Acquisition.Granted);
    }

    // renew

    @Test
    void renewsForItsOwnerOnly() {
        LockRequest request = fresh(NAME, Duration.ofSeconds(5));
        assertThat(backend.renew(request)).isEqualTo(Ownership.ABSENT);
        assertThat(redis.dbSize()).isZero();
        backend.tryAcquire(request);

        assertThat(backend.renew(fresh(NAME, Duration.ofSeconds(60)))).isEqualTo(Ownership.OTHER_OWNER);
        assertThat(redis.pttl(KEY)).isLessThanOrEqualTo(5_000);
        assertThat(backend.renew(withTtl(request, Duration.ofSeconds(60)))).isEqualTo(Ownership.HELD);
        assertThat(redis.pttl(KEY)).isBetween(58_000L, 60_000L);
        assertThat(backend.renew(request)).isEqualTo(Ownership.HELD);
        assertThat(redis.pttl(KEY)).as("never nearer").isBetween(58_000L, 60_000L);
    }

    @Test
    void doesNotReviveAnExpiredLease() {
        LockRequest request = fresh(NAME, Duration.ofMillis(20));
        backend.tryAcquire(request);
        until(PATIENCE, () -> !redis.exists(KEY));

        assertThat(backend.renew(withTtl(request, TTL))).isEqualTo(Ownership.ABSENT);
        assertThat(redis.exists(KEY)).isFalse();
    }

    // release

    @Test
    void releasesForItsOwnerOnly() {
        LockRequest request = fresh(NAME);
        assertThat(backend.release(request)).isEqualTo(Ownership.ABSENT);
        backend.tryAcquire(request);

        assertThat(backend.release(fresh(NAME))).isEqualTo(Ownership.OTHER_OWNER);
        assertThat(redis.exists(KEY)).isTrue();
        assertThat(backend.release(request)).isEqualTo(Ownership.HELD);
        assertThat(redis.exists(KEY)).isFalse();
        assertThat(backend.release(request)).isEqualTo(Ownership.ABSENT);
    }

    // fencing tokens

    @Test
    void mintsGrowingTokensWhateverHappensToTheRecords() {
        List<Long> tokens = new ArrayList<>();
        tokens.add(token(backend.tryAcquire(fresh(NAME))));
        redis.del(KEY);
        tokens.add(token(backend.tryAcquire(fresh(NAME, Duration.ofMillis(10)))));
        until(PATIENCE, () -> !redis.exists(KEY));
        tokens.add(token(backend.tryAcquire(fresh(NAME))));
        redis.del(KEY, COMPANION);
        tokens.add(token(backend.tryAcquire(fresh(NAME))));
        redis.flushAll();
        tokens.add(token(backend.tryAcquire(fresh(NAME))));

        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void mintsFromTheCounterIfTheClockIsBehindIt() {
        long ahead = System.currentTimeMillis() * 1_000 + Duration.ofHours(5).toMillis() * 1_000;
        redis.set(COMPANION, ahead + " 00000000 somebody");

        assertThat(token(backend.tryAcquire(fresh(NAME)))).isEqualTo(ahead + 1);
        assertThat(redis.pttl(COMPANION))
                .as("kept until the clock has passed the token")
                .isGreaterThan(Duration.ofHours(5).toMillis() + RETENTION - 60_000);
    }

    @Test
    void leavesAHeldTokenAloneWhenOthersFail() {
        LockRequest request = fresh(NAME);
        long held = token(backend.tryAcquire(request));
        for (int i = 0; i < 20; i++) {
            contended(backend.tryAcquire(fresh(NAME)));
        }

        assertThat(redis.get(COMPANION)).startsWith(held + " ");
        assertThat(token(backend.tryAcquire(request))).isEqualTo(held);
    }

    @Test
    void mintsTheLastTokensExactlyAndThenRefuses() {
        redis.set(COMPANION, (LIMIT - 3) + " 00000000 somebody");
        for (long expected = LIMIT - 2; expected < LIMIT; expected++) {
            LockRequest request = fresh(NAME);
            assertThat(token(backend.tryAcquire(request))).isEqualTo(expected);
            backend.release(request);
        }
        String before = redis.get(COMPANION);

        assertRefusedUntouched("2^53", () -> backend.tryAcquire(fresh(NAME)));
        assertThat(redis.get(COMPANION)).isEqualTo(before);
        redis.set(COMPANION, (LIMIT + 1) + " 00000000 somebody");
        assertRefusedUntouched("2^53", () -> backend.tryAcquire(fresh(NAME)));
    }

    @Test
    void refusesAForeignCompanionBeforeItWrites() {
        List<Runnable> foreign = List.of(
                () -> redis.set(COMPANION, "something else"),
                () -> redis.set(COMPANION, ""),
                () -> redis.set(COMPANION, "-5 00000000 x"),
                () -> redis.hset(COMPANION, "field", "value"));
        for (Runnable put : foreign) {
            redis.flushAll();
            put.run();

            assertRefusedUntouched("polylock\\x01{lock:orders/42}", () -> backend.tryAcquire(fresh(NAME)));
        }
    }

    @Test
    void keepsTheCounterAnHourBeyondTheLease() {
        LockRequest request = fresh(NAME, Duration.ofSeconds(40));
        backend.tryAcquire(request);
        assertThat(redis.pttl(COMPANION)).isBetween(RETENTION + 38_000, RETENTION + 40_000);

        backend.renew(withTtl(request, Duration.ofSeconds(80)));
        assertThat(redis.pttl(COMPANION)).isBetween(RETENTION + 78_000, RETENTION + 80_000);

        backend.release(request);
        assertThat(redis.pttl(COMPANION)).isBetween(RETENTION + 70_000, RETENTION + 80_000);
        assertThat(redis.dbSize()).isEqualTo(1);
    }

    @Test
    void writesNoKeyThatStaysForEver() {
        LockRequest request = fresh(NAME);
        backend.tryAcquire(request);
        backend.renew(request);
        handOver(request, fresh(NAME));

        assertThat(redis.keys("*")).hasSize(2).allSatisfy(key -> assertThat(redis.pttl(key))
                .isPositive());
    }

    // hand-over

    @Test
    void handsOverFromTheHolderOnly() {
        LockRequest from = fresh(NAME, Duration.ofSeconds(60));
        LockRequest to = fresh(NAME, Duration.ofSeconds(10));
        assertThat(contended(handOver(from, to)).freeIn()).as("nobody holds it").isEmpty();
        assertThat(redis.dbSize()).isZero();
        long first = token(backend.tryAcquire(from));

        assertThat(contended(handOver(fresh(NAME), to)).freeIn()).isPresent();
        long second = token(handOver(from, to));

        assertThat(second).isGreaterThan(first);
        assertThat(redis.get(KEY)).isEqualTo(to.owner().value());
        assertThat(redis.pttl(KEY)).as("a fresh TTL").isBetween(8_000L, 10_000L);
        assertThat(token(handOver(from, to))).as("asked again").isEqualTo(second);
        assertThat(backend.release(from)).isEqualTo(Ownership.OTHER_OWNER);
        contended(handOver(from, fresh(NAME)));
    }

    // batch

    @Test
    void renewsManyAndTellsOfEach() {
        Optional<BatchRenewal> batch = backend.feature(BatchRenewal.class);
        if (way == Way.OPAQUE_CLIENT) {
            assertThat(batch).as("it could not be one round trip").isEmpty();
            return;
        }
        List<LockRequest> requests = new ArrayList<>();
        List<Ownership> expected = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            LockRequest request = fresh("n" + i, Duration.ofSeconds(5));
            if (i % 3 == 0) {
                backend.tryAcquire(request);
                expected.add(Ownership.HELD);
            } else if (i % 3 == 1) {
                backend.tryAcquire(fresh("n" + i));
                expected.add(Ownership.OTHER_OWNER);
            } else {
                expected.add(Ownership.ABSENT);
            }
            requests.add(withTtl(request, TTL));
        }
        redis.scriptFlush();

        List<RenewResult> results = batch.orElseThrow().renewAll(requests);

        assertThat(results)
                .isEqualTo(expected.stream().map(RenewResult.Answered::new).toList());
        assertThat(redis.pttl("lock:n0")).isGreaterThan(20_000);
        assertThat(batch.orElseThrow().renewAll(List.of())).isEmpty();
    }

    // inspection

    @Test
    void inspectsHoldersOfOursAndOfOthers() {
        assertThat(inspect(NAME)).isEmpty();
        LockRequest request = fresh(NAME);
        long token = token(backend.tryAcquire(request));

        Holder ours = inspect(NAME).orElseThrow();
        assertThat(ours.name()).isEqualTo(NAME);
        assertThat(ours.ownerHint()).isEqualTo(request.owner().toString());
        assertThat(ours.label()).contains(request.label());
        assertThat(ours.remaining().orElseThrow()).isBetween(TTL.minusSeconds(2), TTL);
        assertThat(ours.fencingToken()).hasValue(token);

        redis.set(KEY, "äöü\uD83D\uDD12 of another client");
        assertThat(inspect(NAME))
                .contains(new Holder(
                        NAME, "äöü\uD83D\uDD12 of ", Optional.empty(), Optional.empty(), OptionalLong.empty()));
        redis.del(KEY);
        redis.hset(KEY, "field", "value");
        assertThat(inspect(NAME).orElseThrow().ownerHint()).isEqualTo("hash");
    }

    @Test
    void revokesAndKeepsTheCounter() {
        LockRequest request = fresh(NAME);
        long token = token(backend.tryAcquire(request));

        Holder revoked = inspection().revoke(request.name(), PATIENCE).orElseThrow();

        assertThat(revoked.ownerHint()).isEqualTo(request.owner().toString());
        assertThat(backend.renew(request)).isEqualTo(Ownership.ABSENT);
        assertThat(inspection().revoke(request.name(), PATIENCE)).isEmpty();
        assertThat(token(backend.tryAcquire(fresh(NAME)))).isGreaterThan(token);
    }

    @Test
    void revokesNothingButLocks() {
        redis.hset(KEY, "field", "value");

        assertThatThrownBy(() -> inspection().revoke(new LockName(NAME), PATIENCE))
                .isInstanceOfSatisfying(
                        LockBackendException.class, e -> assertThat(e.outcome()).isEqualTo(Outcome.REFUSED))
                .hasMessageContaining("hash");
        assertThat(redis.exists(KEY)).isTrue();
    }

    @Test
    void listsEveryLockPageByPage() {
        Set<String> names = new HashSet<>(RedisKeysTest.names());
        for (int i = 0; i < 500; i++) {
            names.add("n" + i);
        }
        names.forEach(name -> token(backend.tryAcquire(fresh(name))));
        redis.set("unrelated", "x");
        redis.set("lock:" + "two\nlines", "no lock can have this name");
        try (Opened empty = way.open(server, new RedisOptions(""))) {
            for (int limit : List.of(1, 7, 100, 1_000)) {
                List<Holder> holders = walk(inspection(), limit);

                assertThat(holders).extracting(Holder::name).containsOnlyOnceElementsOf(names);
                assertThat(holders).hasSameSizeAs(names).allSatisfy(holder -> {
                    assertThat(holder.label()).contains("host:" + holder.ownerHint());
                    assertThat(holder.fencingToken()).isPresent();
                    assertThat(holder.remaining()).isPresent();
                });
            }
            assertThat(walk(empty.backend().feature(Inspection.class).orElseThrow(), 100))
                    .as("an empty prefix makes every key a lock, except ours")
                    .hasSize(names.size() + 1);
        }
    }

    @Test
    void refusesPagesThatItNeverAnnounced() {
        assertThatThrownBy(() -> inspection().list(Optional.of("x"), 10, PATIENCE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> inspection().list(Optional.empty(), 1_001, PATIENCE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> inspection().list(Optional.empty(), 0, PATIENCE))
                .isInstanceOf(IllegalArgumentException.class);
    }

    // quorum

    @Test
    void joinsAsItAcquires() {
        LockRequest request = fresh(NAME);

        Vote.Joined first = joined(node().join(request, Optional.empty()));
        Vote.Joined again = joined(node().join(request, Optional.empty()));
        Vote.Joined other = joined(node().join(fresh("other"), Optional.empty()));

        assertThat(again.token()).isEqualTo(first.token());
        assertThat(first.age()).isZero();
        assertThat(other.age()).isPositive();
        assertThat(List.of(again.incarnation(), other.incarnation())).containsOnly(first.incarnation());
        assertThat(Duration.ofMillis(Math.abs(first.clockMicros() / 1_000 - System.currentTimeMillis())))
                .isLessThan(Duration.ofSeconds(5));
        assertThat(node().join(fresh(NAME), Optional.empty()))
                .isInstanceOfSatisfying(Acquisition.Contended.class, contended -> assertThat(contended.freeIn())
                        .isPresent());
        assertThat(contended(backend.tryAcquire(fresh(NAME))).freeIn()).isPresent();
    }

    @Test
    void joinsFromAGiver() {
        LockRequest giver = fresh(NAME);
        LockRequest heir = fresh(NAME);
        long first = token(backend.tryAcquire(giver));

        assertThat(node().join(heir, Optional.of(OwnerToken.random()))).isInstanceOf(Acquisition.Contended.class);
        Vote.Joined second = joined(node().join(heir, Optional.of(giver.owner())));

        assertThat(second.token()).isGreaterThan(first);
        assertThat(backend.release(giver)).isEqualTo(Ownership.OTHER_OWNER);
        assertThat(joined(node().join(fresh("free"), Optional.of(giver.owner())))
                        .token())
                .isPositive();
    }

    @Test
    void keepsItsIncarnationUntilItsMemoryIsLost() {
        Vote.Joined before = joined(node().join(fresh(NAME), Optional.empty()));
        redis.del(KEY, COMPANION);
        Vote.Joined same = joined(node().join(fresh(NAME), Optional.empty()));
        redis.flushAll();
        Vote.Joined after = joined(node().join(fresh(NAME), Optional.empty()));

        assertThat(same.incarnation()).isEqualTo(before.incarnation());
        assertThat(same.age()).isPositive();
        assertThat(after.incarnation()).isNotEqualTo(before.incarnation());
        assertThat(after.age()).isZero();
        assertThat(redis.pttl(RedisKeys.incarnation())).as("no end").isEqualTo(-1);
    }

    @Test
    void refusesAForeignIncarnationBeforeItWrites() {
        redis.set(RedisKeys.incarnation(), "something else");

        assertRefusedUntouched("polylock\\x01node", () -> node().join(fresh(NAME), Optional.empty()));
    }

    @Test
    void confirmsOnlyForTheOwnerAndOnlyUpwards() {
        LockRequest request = fresh(NAME);
        Duration skew = Duration.ofSeconds(1);
        assertThat(node().confirm(request, "none", 5, skew)).isEqualTo(new Vote.Refused(Reason.NOT_OWNER));
        Vote.Joined joined = joined(node().join(request, Optional.empty()));
        String memory = joined.incarnation();
        long token = joined.token();

        assertThat(node().confirm(fresh(NAME), memory, token + 1, skew)).isEqualTo(new Vote.Refused(Reason.NOT_OWNER));
        assertThat(node().confirm(request, memory, token - 1, skew)).isEqualTo(new Vote.Refused(Reason.OUTDATED));
        assertThat(node().confirm(request, memory, token + 5_000_000, skew))
                .isEqualTo(new Vote.Refused(Reason.AHEAD_OF_CLOCK));
        assertThat(redis.get(COMPANION)).startsWith(token + " ");
        assertThat(node().confirm(request, memory, token + 1, skew)).isEqualTo(new Vote.Confirmed());
        assertThat(node().confirm(request, memory, token + 1, skew)).isEqualTo(new Vote.Confirmed());
        assertThat(node().confirm(request, memory, token, skew)).isEqualTo(new Vote.Refused(Reason.OUTDATED));
        assertThat(redis.get(COMPANION)).startsWith((token + 1) + " ");
        assertThat(token(backend.tryAcquire(request))).isEqualTo(token + 1);
        backend.release(request);
        assertThat(token(backend.tryAcquire(fresh(NAME)))).isGreaterThan(token + 1);
    }

    @Test
    void refusesToConfirmWhatItHasForgotten() {
        LockRequest request = fresh(NAME);
        Duration skew = Duration.ofSeconds(1);
        Vote.Joined joined = joined(node().join(request, Optional.empty()));
        redis.del(COMPANION);

        assertThat(node().confirm(request, joined.incarnation(), joined.token() + 1, skew))
                .isEqualTo(new Vote.Refused(Reason.FORGOTTEN));

        Vote.Joined again = joined(node().join(request, Optional.empty()));
        redis.del(RedisKeys.incarnation());
        assertThat(node().confirm(request, again.incarnation(), again.token() + 1, skew))
                .isEqualTo(new Vote.Refused(Reason.FORGOTTEN));
        Vote.Joined reborn = joined(node().join(request, Optional.empty()));
        assertThat(node().confirm(request, again.incarnation(), again.token() + 1, skew))
                .isEqualTo(new Vote.Refused(Reason.FORGOTTEN));
        assertThat(node().confirm(request, reborn.incarnation(), again.token() + 1, skew))
                .isEqualTo(new Vote.Confirmed());
    }

    @Test
    void confirmsNoTokenThatIsTooLarge() {
        LockRequest request = fresh(NAME);
        String memory = joined(node().join(request, Optional.empty())).incarnation();
        String before = redis.get(COMPANION);

        assertThatThrownBy(() -> node().confirm(request, memory, LIMIT, Duration.ofDays(1_000_000)))
                .isInstanceOfSatisfying(
                        LockBackendException.class, e -> assertThat(e.outcome()).isEqualTo(Outcome.REFUSED));
        assertThat(node().confirm(request, memory, LIMIT - 1, Duration.ofSeconds(Long.MAX_VALUE)))
                .as("the skew is large, not unlimited")
                .isEqualTo(new Vote.Refused(Reason.AHEAD_OF_CLOCK));
        assertThat(redis.get(COMPANION)).isEqualTo(before);
    }

    // on the wire

    @Test
    void healsAForgottenScriptInEveryOperation() {
        LockRequest request = fresh(NAME);
        LockRequest heir = fresh(NAME);
        List<Supplier<Object>> operations = List.of(
                () -> backend.tryAcquire(request),
                () -> backend.renew(request),
                () -> handOver(request, heir),
                () -> inspect(NAME),
                () -> inspection().list(Optional.empty(), 10, PATIENCE),
                () -> node().join(heir, Optional.empty()),
                () -> node().confirm(heir, "none", 1, Duration.ZERO),
                () -> inspection().revoke(heir.name(), PATIENCE),
                () -> backend.release(heir));
        for (Supplier<Object> operation : operations) {
            redis.scriptFlush();

            assertThat(operation.get()).isNotNull();
        }
    }

    @Test
    void sendsTwoRequestsForACycle() {
        for (int i = 0; i < 5; i++) {
            cycle();
        }
        redis.executeCommand(new CommandArguments(Protocol.Command.CONFIG).add("RESETSTAT"));

        for (int i = 0; i < 50; i++) {
            cycle();
        }

        List<String> requests = redis.info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_"))
                .map(line -> line.replaceAll("cmdstat_(.*):calls=(\\d+),.*", "$1=$2"))
                .filter(line -> line.matches("(eval|evalsha|ping|hello|auth|select|script.*|client.*|echo)=.*"))
                .toList();
        if (way == Way.OPAQUE_CLIENT) {
            assertThat(requests).as("the client connects each time").contains("evalsha=100");
        } else {
            assertThat(requests).containsExactly("evalsha=100");
        }
    }

    @Test
    void declaresWhatItCanDo() {
        assertThat(backend.feature(Fencing.class)).isPresent();
        assertThat(backend.feature(Handover.class)).isPresent();
        assertThat(backend.feature(Handover.class)).isEqualTo(backend.feature(Handover.class));
        assertThat(backend.feature(ReleaseSignals.class).isPresent()).isEqualTo(way == Way.URL);
        assertThat(backend.feature(ResendingClient.class).isPresent()).isEqualTo(way == Way.OPAQUE_CLIENT);
    }

    @Test
    void endsOnlyWhatIsItsOwn() {
        LockRequest request = fresh(NAME);
        backend.tryAcquire(request);

        backend.close();
        backend.close();

        assertThatThrownBy(() -> backend.tryAcquire(request)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> backend.release(request)).isInstanceOf(IllegalStateException.class);
        assertThat(redis.exists(KEY)).as("the lock stays").isTrue();
        opened.client().ifPresent(client -> assertThat(client.get(KEY))
                .isEqualTo(request.owner().value()));
    }

    private void cycle() {
        LockRequest request = fresh(NAME);
        token(backend.tryAcquire(request));
        assertThat(backend.release(request)).isEqualTo(Ownership.HELD);
    }

    private Acquisition handOver(LockRequest from, LockRequest to) {
        return backend.feature(Handover.class).orElseThrow().handOver(from.owner(), to);
    }

    private Inspection inspection() {
        return backend.feature(Inspection.class).orElseThrow();
    }

    private Optional<Holder> inspect(String name) {
        return inspection().inspect(new LockName(name), PATIENCE);
    }

    private QuorumMember node() {
        return backend.feature(QuorumMember.class).orElseThrow();
    }

    private static Vote.Joined joined(Vote.Join vote) {
        assertThat(vote).isInstanceOf(Vote.Joined.class);
        return (Vote.Joined) vote;
    }

    private static List<Holder> walk(Inspection inspection, int limit) {
        List<Holder> holders = new ArrayList<>();
        Optional<String> next = Optional.empty();
        do {
            Inspection.Page page = inspection.list(next, limit, PATIENCE);
            holders.addAll(page.holders());
            next = page.next();
        } while (next.isPresent());
        return holders;
    }

    private void assertRefusedUntouched(String what, Supplier<Object> operation) {
        long keys = redis.dbSize();
        assertThatThrownBy(operation::get)
                .isInstanceOfSatisfying(
                        LockBackendException.class, e -> assertThat(e.outcome()).isEqualTo(Outcome.REFUSED))
                .hasMessageContaining(what);
        assertThat(redis.dbSize()).isEqualTo(keys);
        assertThat(redis.exists(KEY)).isFalse();
    }
}
