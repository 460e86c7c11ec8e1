// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import static io.polylock.redis.Hearing.watch;
import static io.polylock.redis.Requests.PATIENCE;
import static io.polylock.redis.Requests.TTL;
import static io.polylock.redis.Requests.contended;
import static io.polylock.redis.Requests.fresh;
import static io.polylock.redis.Requests.token;
import static io.polylock.redis.Requests.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.servers.RedisServer;
import io.polylock.spi.Acquisition;
import io.polylock.spi.BackendUrl;
import io.polylock.spi.Handover;
import io.polylock.spi.Inspection;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockRequest;
import io.polylock.spi.Ownership;
import io.polylock.spi.ReleaseSignals;
import io.polylock.spi.ReleaseSignals.Subscription;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.RedisClient;

/** Who is woken by a release on a real server, and what it costs. */
class RedisSignalsIT {

    private static final String NAME = "orders/42";
    private static final String KEY = "lock:" + NAME;
    private static final String WAITING = RedisKeys.waiting(KEY);

    private static RedisServer server;
    private static RedisClient redis;

    private final List<LockBackend> opened = new ArrayList<>();
    private final Hearing a = new Hearing();
    private final Hearing b = new Hearing();
    private LockBackend holder;
    private LockBackend first;
    private LockBackend second;

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
        holder = open("");
        first = open("");
        second = open("");
    }

    @AfterEach
    void close() {
        opened.forEach(LockBackend::close);
        until(PATIENCE, () -> listeners() == 0);
    }

    // who is woken

    @Test
    void wakesOneBackendPerReleaseInTurn() {
        Hearing c = new Hearing();
        LockBackend third = open("");
        LockRequest held = taken(holder, TTL);
        watch(first, NAME, a);
        watch(second, NAME, b);
        watch(third, NAME, c);
        List<LockBackend> backends = List.of(first, second, third);
        List<Hearing> hearings = List.of(a, b, c);

        LockBackend releaser = holder;
        for (int round = 0; round < 9; round++) {
            assertThat(releaser.release(held)).isEqualTo(Ownership.HELD);

            assertThat(hearings.get(round % 3).hearsRelease())
                    .as("round %s", round)
                    .isTrue();
            releaser = backends.get(round % 3);
            held = taken(releaser, TTL);
            contended(backends.get((round + 2) % 3).tryAcquire(fresh(NAME)));
        }
        assertThat(hearings).allSatisfy(each -> assertThat(each.untaken()).isZero());
    }

    @Test
    void skipsTheDead() {
        LockRequest held = taken(holder, TTL);
        for (int i = 0; i < 5; i++) {
            LockBackend dead = open("");
            watch(dead, NAME, a);
            dead.close();
        }
        until(PATIENCE, () -> listeners() == 0);
        watch(second, NAME, b);

        holder.release(held);

        assertThat(b.hearsRelease()).isTrue();
        assertThat(redis.exists(WAITING)).isFalse();
    }

    @Test
    void standsInFrontAgainIfSomebodyGotInBetween() {
        LockRequest held = taken(holder, TTL);
        watch(first, NAME, a);
        watch(second, NAME, b);
        holder.release(held);
        assertThat(a.hearsRelease()).isTrue();
        held = taken(holder, TTL);
        contended(first.tryAcquire(fresh(NAME)));

        holder.release(held);

        assertThat(a.hearsRelease()).isTrue();
        held = taken(first, TTL);
        contended(first.tryAcquire(fresh(NAME)));
        first.release(held);
        assertThat(b.hearsRelease()).isTrue();
        assertThat(a.untaken()).isZero();
    }

    @Test
    void wakesAnotherBackendRatherThanTheReleasersOwn() {
        LockRequest held = taken(first, TTL);
        watch(first, NAME, a);
        watch(second, NAME, b);

        first.release(held);

        assertThat(b.hearsRelease()).isTrue();
        held = taken(second, TTL);
        second.release(held);
        assertThat(a.hearsRelease()).as("it kept its place").isTrue();
        held = taken(first, TTL);
        contended(first.tryAcquire(fresh(NAME)));
        first.release(held);
        assertThat(a.hearsRelease()).as("nobody else was there").isTrue();
        assertThat(b.untaken()).isZero();
    }

    @Test
    void wakesAfterARevocation() {
        taken(holder, TTL);
        watch(first, NAME, a);

        holder.feature(Inspection.class).orElseThrow().revoke(fresh(NAME).name(), PATIENCE);

        assertThat(a.hearsRelease()).isTrue();
    }

    @Test
    void wakesNobodyByAHandOver() {
        LockRequest held = taken(holder, TTL);
        LockRequest heir = fresh(NAME);
        watch(first, NAME, a);

        token(holder.feature(Handover.class).orElseThrow().handOver(held.owner(), heir));
        redis.publish("unrelated", "x");
        assertThat(a.untaken()).isZero();
        holder.release(heir);

        assertThat(a.hearsRelease()).isTrue();
        assertThat(a.untaken()).isZero();
    }

    @Test
    void saysAtOnceThatALockIsFree() {
        watch(first, NAME, a);

        assertThat(a.hearsRelease()).isTrue();
    }

    @Test
    void passesOnASignalThatNobodyFollowed() {
        LockRequest held = taken(holder, TTL);
        Subscription subscription = watch(first, NAME, a);
        watch(second, NAME, b);
        holder.release(held);
        assertThat(a.hearsRelease()).isTrue();

        subscription.close();

        assertThat(b.hearsRelease()).isTrue();
    }

    @Test
    void passesOnASignalThatNobodyListensForAnyMore() {
        LockRequest held = taken(holder, TTL);
        watch(first, NAME, a).close();
        watch(second, NAME, b);

        holder.release(held);

        assertThat(b.hearsRelease()).isTrue();
        assertThat(a.untaken()).isZero();
    }

    @Test
    void passesOnNothingThatWasFollowed() {
        LockRequest held = taken(holder, TTL);
        Subscription subscription = watch(first, NAME, a);
        watch(second, NAME, b);
        holder.release(held);
        assertThat(a.hearsRelease()).isTrue();
        LockRequest next = taken(first, TTL);
        long before = scripts();

        subscription.close();
        first.renew(next);

        assertThat(scripts()).isEqualTo(before + 1);
        first.release(next);
        assertThat(b.hearsRelease()).isTrue();
        assertThat(b.untaken()).isZero();
    }

    @Test
    void losesNoWakeUpBetweenRefusalAndListening() throws Exception {
        Random random = new Random(11);
        for (int round = 0; round < 2_000; round++) {
            LockRequest held = taken(holder, TTL);
            int delay = random.nextInt(400_000);
            CompletableFuture<Void> release = CompletableFuture.runAsync(() -> {
                LockSupport.parkNanos(delay);
                holder.release(held);
            });
            LockRequest wanted = fresh(NAME);
            if (first.tryAcquire(wanted) instanceof Acquisition.Contended) {
                Hearing hearing = new Hearing();
                Subscription subscription = watch(first, NAME, hearing);
                try (subscription) {
                    while (first.tryAcquire(wanted) instanceof Acquisition.Contended) {
                        assertThat(hearing.hearsRelease()).as("round %s", round).isTrue();
                    }
                }
            }
            first.release(wanted);
            release.get(5, TimeUnit.SECONDS);
        }
    }

    @Test
    void survivesAListenerThatThrows() {
        LockRequest held = taken(holder, TTL);
        watch(first, NAME, new ReleaseSignals.SignalListener() {
            @Override
            public void released() {
                throw new AssertionError("as intended");
            }

            @Override
            public void gap() {
                throw new IllegalStateException("as intended");
            }
        });
        watch(first, NAME, a);
        holder.release(held);
        assertThat(a.hearsRelease()).isTrue();
        killListeners();
        assertThat(a.hearsGap()).isTrue();
        held = taken(first, TTL);
        contended(first.tryAcquire(fresh(NAME)));

        first.release(held);

        assertThat(a.hearsRelease()).isTrue();
    }

    // what lies beside the lock

    @Test
    void leavesNothingBeyondTheRecord() {
        taken(holder, Duration.ofMillis(400));
        watch(first, NAME, a);
        assertThat(redis.pttl(WAITING)).isBetween(1L, 400L);
        first.close();

        until(PATIENCE, () -> !redis.exists(KEY));
        until(PATIENCE, () -> !redis.exists(WAITING));
    }

    @Test
    void keepsTheListNotMuchLongerThanTheRecordThatWasReleased() {
        LockRequest held = taken(holder, Duration.ofHours(1));
        watch(first, NAME, a);
        watch(second, NAME, b);

        holder.release(held);

        assertThat(a.hearsRelease()).isTrue();
        assertThat(redis.llen(WAITING)).isEqualTo(1);
        assertThat(redis.pttl(WAITING)).isBetween(1L, 10_000L);
    }

    @Test
    void keepsTheListAsLongAsTheRecord() {
        LockRequest held = taken(holder, Duration.ofSeconds(2));
        watch(first, NAME, a);

        holder.renew(Requests.withTtl(held, Duration.ofMinutes(1)));
        assertThat(redis.pttl(WAITING)).isBetween(50_000L, 60_000L);
        LockRequest heir = fresh(NAME, Duration.ofSeconds(90));
        token(holder.feature(Handover.class).orElseThrow().handOver(held.owner(), heir));
        assertThat(redis.pttl(WAITING)).isBetween(80_000L, 90_000L);
        token(holder.tryAcquire(Requests.withTtl(heir, Duration.ofMinutes(2))));
        assertThat(redis.pttl(WAITING)).isBetween(110_000L, 120_000L);
        redis.persist(KEY);
        contended(first.tryAcquire(fresh(NAME)));
        assertThat(redis.pttl(WAITING)).as("beside a record without end").isBetween(8_000L, 10_000L);
    }

    @Test
    void breaksNothingIfSomethingForeignIsAtTheListsKey() {
        redis.set(WAITING, "foreign");
        LockRequest held = taken(holder, TTL);
        LockRequest heir = fresh(NAME);

        LockBackendException failure = catchThrowableOfType(LockBackendException.class, () -> watch(first, NAME, a));

        assertThat(failure.outcome()).isEqualTo(Outcome.REFUSED);
        assertThat(failure).hasMessageContaining("polylock\\x02{" + KEY + "}");
        contended(first.tryAcquire(fresh(NAME)));
        assertThat(holder.renew(Requests.withTtl(held, TTL.multipliedBy(2)))).isEqualTo(Ownership.HELD);
        token(holder.feature(Handover.class).orElseThrow().handOver(held.owner(), heir));
        assertThat(holder.release(heir)).isEqualTo(Ownership.HELD);
        redis.del(WAITING);
        held = taken(holder, TTL);
        watch(first, NAME, a);
        redis.set(WAITING, "foreign");
        contended(first.tryAcquire(fresh(NAME)));
        assertThat(holder.release(held)).isEqualTo(Ownership.HELD);
        taken(first, TTL);
        assertThat(redis.get(WAITING)).isEqualTo("foreign");
        assertThat(redis.pttl(WAITING)).isEqualTo(-1);
    }

    @Test
    void releasesWithoutThePermissionToSignal() {
        redis.executeCommand(new CommandArguments(Command.ACL)
                .add("SETUSER")
                .addObjects("mute", "on", ">x", "~*", "&*", "+@all", "-publish"));
        LockBackend mute = open(server.url().replace("redis://", "redis://mute:x@"), "");
        LockRequest held = taken(mute, TTL);
        watch(first, NAME, a);

        assertThat(mute.release(held)).isEqualTo(Ownership.HELD);

        assertThat(redis.exists(KEY)).isFalse();
    }

    // the connection

    @Test
    void listensOnOneChannelForAllNames() {
        for (int i = 0; i < 5_000; i++) {
            watch(first, "n" + i, a);
        }

        assertThat(redis.executeCommand(new CommandArguments(Command.PUBSUB).add("CHANNELS")))
                .asInstanceOf(InstanceOfAssertFactories.LIST)
                .hasSize(1);
        assertThat(listeners()).isEqualTo(1);
    }

    @Test
    void sharesOneConnecting() {
        taken(holder, TTL);
        long before = calls("subscribe");
        List<CompletableFuture<Subscription>> all = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            String name = "n" + i;
            all.add(CompletableFuture.supplyAsync(() -> watch(first, name, a), task -> new Thread(task).start()));
        }

        assertThat(all)
                .allSatisfy(each ->
                        assertThat(each.orTimeout(5, TimeUnit.SECONDS).join()).isNotNull());

        assertThat(calls("subscribe")).isEqualTo(before + 1);
    }

    @Test
    void costsThreeRequestsAndOneSubscribe() {
        taken(holder, TTL);
        token(first.tryAcquire(fresh("warm")));
        redis.executeCommand(new CommandArguments(Command.CONFIG).add("RESETSTAT"));

        contended(first.tryAcquire(fresh(NAME)));
        watch(first, NAME, a);
        contended(first.tryAcquire(fresh(NAME)));

        assertThat(scripts()).isEqualTo(3);
        assertThat(calls("subscribe")).isEqualTo(1);
        assertThat(redis.lrange(WAITING, 0, -1)).hasSize(1);
        long before = processed();
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(3));
        assertThat(processed()).isEqualTo(before + 1);
    }

    @Test
    void tellsOfAGapAndSignalsAgainAfterItsConnectionWasKilled() {
        LockRequest held = taken(holder, TTL);
        watch(first, NAME, a);
        watch(first, "other", b);
        b.hearsRelease();

        killListeners();

        assertThat(a.hearsGap()).isTrue();
        assertThat(b.hearsGap()).isTrue();
        holder.release(held);
        assertThat(a.hearsRelease()).isTrue();
    }

    @Test
    void comesBackAfterARestartOfTheServer() {
        try (RedisServer own = RedisServer.start();
                LockBackend waiter = new RedisLockBackendFactory().open(BackendUrl.parse(own.url()));
                LockBackend releaser = new RedisLockBackendFactory().open(BackendUrl.parse(own.url()))) {
            taken(releaser, TTL);
            watch(waiter, NAME, a);
            own.kill();
            assertThat(failureOf(() -> watch(waiter, "other", b))).isEqualTo(Outcome.NOT_APPLIED);
            own.restartEmpty();

            until(Duration.ofSeconds(10), a::hearsGap);

            LockRequest held = fresh(NAME);
            until(PATIENCE, () -> granted(releaser, held));
            until(PATIENCE, () -> refused(waiter));
            releaser.release(held);
            assertThat(a.hearsRelease()).isTrue();
        }
    }

    @Test
    void doesNotComeBackForNobody() {
        taken(holder, TTL);
        watch(first, NAME, a).close();
        long before = calls("subscribe");

        killListeners();
        until(PATIENCE, () -> listeners() == 0);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));

        assertThat(calls("subscribe")).isEqualTo(before);
        watch(first, NAME, a);
        assertThat(listeners()).isEqualTo(1);
    }

    @Test
    void leavesNothingBehindIfItCannotListen() {
        redis.executeCommand(new CommandArguments(Command.ACL)
                .add("SETUSER")
                .addObjects("deaf", "on", ">x", "~*", "&*", "+@all", "-subscribe"));
        LockBackend deaf = open(server.url().replace("redis://", "redis://deaf:x@"), "");
        LockBackend lonely = open("redis://127.0.0.1:1", "");

        assertThat(failureOf(() -> watch(deaf, NAME, a))).isEqualTo(Outcome.REFUSED);
        assertThat(failureOf(() -> watch(lonely, NAME, a))).isEqualTo(Outcome.NOT_APPLIED);

        until(Duration.ofSeconds(5), () -> threads().isEmpty());
        assertThat(redis.keys("*")).isEmpty();
    }

    @Test
    void keepsItsTimeIfTheServerHangs() {
        try (RedisServer own = RedisServer.start();
                LockBackend waiter = new RedisLockBackendFactory().open(BackendUrl.parse(own.url()))) {
            own.pause();
            long start = System.nanoTime();

            LockBackendException failure =
                    catchThrowableOfType(LockBackendException.class, () -> waiter.feature(ReleaseSignals.class)
                            .orElseThrow()
                            .watch(fresh(NAME).name(), a, Duration.ofMillis(300)));

            assertThat(failure.outcome()).isEqualTo(Outcome.NOT_APPLIED);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
            own.resume();
        }
    }

    @Test
    void endsItsThreadAndItsConnection() {
        taken(holder, TTL);
        assertThat(threads()).as("before it is needed").isEmpty();
        watch(first, NAME, a);
        assertThat(threads()).contains("polylock-signals");

        first.close();

        until(Duration.ofSeconds(5), () -> threads().isEmpty() && listeners() == 0);
        assertThatThrownBy(() -> watch(first, NAME, a)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void needsOneConnectionForAllElse() {
        LockBackend only = open("?pool=1");
        LockRequest held = taken(only, TTL);
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            String name = "n" + i;
            all.add(CompletableFuture.runAsync(
                    () -> {
                        for (int round = 0; round < 50; round++) {
                            LockRequest request = fresh(name);
                            token(only.tryAcquire(request));
                            watch(only, name, a).close();
                            only.release(request);
                        }
                    },
                    task -> new Thread(task).start()));
        }
        for (int i = 0; i < 50; i++) {
            assertThat(only.renew(held)).isEqualTo(Ownership.HELD);
        }
        assertThat(all).allSatisfy(each -> each.orTimeout(30, TimeUnit.SECONDS).join());
        watch(first, NAME, b);
        only.release(held);
        assertThat(b.hearsRelease()).isTrue();
    }

    private LockBackend open(String options) {
        return open(server.url(), options);
    }

    private LockBackend open(String url, String options) {
        LockBackend backend = new RedisLockBackendFactory().open(BackendUrl.parse(url + options));
        opened.add(backend);
        return backend;
    }

    private static LockRequest taken(LockBackend backend, Duration ttl) {
        LockRequest request = fresh(NAME, ttl);
        token(backend.tryAcquire(request));
        return request;
    }

    private static boolean granted(LockBackend backend, LockRequest request) {
        try {
            return backend.tryAcquire(request) instanceof Acquisition.Granted;
        } catch (LockBackendException stale) {
            return false;
        }
    }

    private static boolean refused(LockBackend backend) {
        try {
            return backend.tryAcquire(fresh(NAME)) instanceof Acquisition.Contended;
        } catch (LockBackendException stale) {
            return false;
        }
    }

    private static Outcome failureOf(Runnable operation) {
        LockBackendException failure = catchThrowableOfType(LockBackendException.class, operation::run);
        assertThat(failure).as("a failure").isNotNull();
        return failure.outcome();
    }

    private static void killListeners() {
        client("KILL", "TYPE", "pubsub");
    }

    private static long listeners() {
        return client("LIST", "TYPE", "pubsub").lines().count();
    }

    private static String client(String... arguments) {
        Object reply = redis.executeCommand(new CommandArguments(Command.CLIENT).addObjects((Object[]) arguments));
        return reply instanceof byte[] text ? new String(text, StandardCharsets.UTF_8).strip() : String.valueOf(reply);
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("polylock-signals"))
                .toList();
    }

    /** A script is sent as text the first time. */
    private long scripts() {
        return calls("eval") + calls("evalsha");
    }

    private static long calls(String command) {
        return redis.info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_" + command + ":"))
                .map(line -> line.replaceAll(".*:calls=(\\d+),.*", "$1"))
                .mapToLong(Long::parseLong)
                .sum();
    }

    private static long processed() {
        return redis.info("stats")
                .lines()
                .filter(line -> line.startsWith("total_commands_processed:"))
                .map(line -> line.substring(line.indexOf(':') + 1))
                .mapToLong(Long::parseLong)
                .sum();
    }
}
