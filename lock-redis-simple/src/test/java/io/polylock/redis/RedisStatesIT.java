// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import static io.polylock.redis.Requests.fresh;
import static io.polylock.redis.Requests.token;
import static io.polylock.redis.Requests.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.LockManager;
import io.polylock.servers.RedisServer;
import io.polylock.servers.RedisServerOptions;
import io.polylock.spi.BackendUrl;
import io.polylock.spi.BatchRenewal;
import io.polylock.spi.Inspection;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockRequest;
import io.polylock.spi.Ownership;
import io.polylock.spi.RenewResult;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.RedisClient;

/** What a request says if a server does not let it through, and that it is never taken for a grant or for contention. */
class RedisStatesIT {

    private static final String NAME = "orders/42";
    private static final String KEY = "lock:" + NAME;
    private static final String SECRET = "s3cr3t-p4ssw0rd";

    @ParameterizedTest
    @ValueSource(strings = {":" + SECRET + "@", "somebody:" + SECRET + "@"})
    void refusesAWrongPasswordWithoutShowingIt(String userInfo) {
        try (RedisServer server = RedisServer.start(RedisServerOptions.DEFAULTS.withPassword("another"));
                LockBackend backend = open("redis://" + userInfo + server.host() + ":" + server.port())) {
            assertRefused(backend, "refused the user name or password");
        }
    }

    @Test
    void refusesToWorkWithoutAPasswordThatIsNeeded() {
        try (RedisServer server = RedisServer.start(RedisServerOptions.DEFAULTS.withPassword(SECRET));
                LockBackend without = open("redis://" + server.host() + ":" + server.port());
                LockBackend with = open(server.url())) {
            assertRefused(without, "wants a password");
            assertThat(token(with.tryAcquire(fresh(NAME)))).isPositive();
            assertThat(with.toString()).doesNotContain(SECRET);
        }
    }

    @Test
    void refusesAPasswordThatTheServerHasNoUseFor() {
        try (RedisServer server = RedisServer.start();
                LockBackend backend = open("redis://:" + SECRET + "@" + server.host() + ":" + server.port())) {
            assertRefused(backend, "");
        }
    }

    @Test
    void doesNotShowAPasswordThatTheServerRepeats() {
        try (RedisServer server =
                        RedisServer.start(RedisServerOptions.DEFAULTS.withConfigLine("rename-command AUTH \"\""));
                LockBackend backend = open("redis://me:" + SECRET + "@" + server.host() + ":" + server.port())) {
            assertRefused(backend, "does not know a command");
        }
    }

    @Test
    void namesADatabaseThatIsNotThere() {
        try (RedisServer server = RedisServer.start();
                LockBackend backend = open(server.url() + "/99");
                LockBackend last = open(server.url() + "/15")) {
            assertRefused(backend, "has no database of this number");
            assertThat(token(last.tryAcquire(fresh(NAME)))).isPositive();
        }
    }

    @Test
    void namesAServerWithoutScripts() {
        RedisServerOptions options = RedisServerOptions.DEFAULTS
                .withConfigLine("rename-command EVALSHA \"\"")
                .withConfigLine("rename-command EVAL \"\"");
        try (RedisServer server = RedisServer.start(options);
                LockBackend backend = open(server.url())) {
            assertRefused(backend, "does not know a command");
        }
    }

    @Test
    void namesAUserWithoutPermissionAndLeavesNothing() {
        try (RedisServer server = RedisServer.start();
                RedisClient redis = RedisClient.create(server.host(), server.port())) {
            String place = "@" + server.host() + ":" + server.port();
            user(redis, "noscript", "on", ">x", "~*", "+@all", "-@scripting");
            user(redis, "nolock", "on", ">x", "~polylock*", "+@all");
            user(redis, "nocompanion", "on", ">x", "~lock:*", "+@all");
            user(redis, "readcompanion", "on", ">x", "%R~polylock*", "~lock:*", "+@all");
            // as the page on this backend has it
            String commands = "+@scripting +get +set +del +time +pttl +pexpire +type +getrange +scan";
            user(redis, ("enough on >x ~lock:* ~polylock* " + commands).split(" ", -1));
            String forSignals = "&polylock:* +subscribe +lrange +rpush +lpush +lpop +llen +publish";
            user(redis, ("wakes on >x ~lock:* ~polylock* " + commands + " " + forSignals).split(" ", -1));
            for (String user : List.of("noscript", "nolock", "nocompanion", "readcompanion")) {
                try (LockBackend backend = open("redis://" + user + ":x" + place)) {
                    assertRefused(backend, "does not permit");
                    assertThat(redis.exists(KEY)).as("lock after %s", user).isFalse();
                }
            }
            try (LockBackend backend = open("redis://enough:x" + place)) {
                LockRequest request = fresh(NAME);
                Inspection inspection = backend.feature(Inspection.class).orElseThrow();
                assertThat(token(backend.tryAcquire(request))).isPositive();
                assertThat(backend.renew(Requests.withTtl(request, Duration.ofMinutes(5))))
                        .isEqualTo(Ownership.HELD);
                assertThat(inspection
                                .list(Optional.empty(), 10, Requests.PATIENCE)
                                .holders())
                        .hasSize(1);
                assertThat(backend.release(request)).isEqualTo(Ownership.HELD);
                assertThat(inspection.revoke(request.name(), Requests.PATIENCE)).isEmpty();
            }
            try (LockBackend backend = open("redis://wakes:x" + place)) {
                LockRequest request = fresh(NAME);
                Hearing hearing = new Hearing();
                token(backend.tryAcquire(request));
                Hearing.watch(backend, NAME, hearing);
                Requests.contended(backend.tryAcquire(fresh(NAME)));
                backend.release(request);
                assertThat(hearing.hearsRelease()).isTrue();
                token(backend.tryAcquire(request));
                assertThat(redis.executeCommand(new CommandArguments(Command.ACL).add("LOG")))
                        .as("refusals of this user")
                        .asString()
                        .doesNotContain("wakes");
            }
        }
    }

    @Test
    void waitsForAReadOnlyReplicaToBecomeAMaster() {
        try (RedisServer server = RedisServer.start();
                RedisClient redis = RedisClient.create(server.host(), server.port());
                LockBackend backend = open(server.url())) {
            LockRequest held = fresh("held");
            backend.tryAcquire(held);
            redis.executeCommand(
                    new CommandArguments(Command.REPLICAOF).add("127.0.0.1").add("1"));

            assertNotApplied("read-only replica", () -> backend.tryAcquire(fresh(NAME)));
            assertNotApplied("read-only replica", () -> backend.release(held));
            config(redis, "replica-serve-stale-data", "no");
            assertNotApplied("lost its master", () -> backend.tryAcquire(fresh(NAME)));
            assertNotApplied("lost its master", () -> backend.renew(held));
            redis.executeCommand(
                    new CommandArguments(Command.REPLICAOF).add("NO").add("ONE"));
            assertThat(token(backend.tryAcquire(fresh(NAME)))).isPositive();
            assertThat(backend.release(held)).isEqualTo(Ownership.HELD);
        }
    }

    @Test
    void acquiresNothingButRenewsAndReleasesIfMemoryIsFull() {
        try (RedisServer server = RedisServer.start();
                RedisClient redis = RedisClient.create(server.host(), server.port());
                LockBackend backend = open(server.url())) {
            LockRequest held = fresh("held");
            backend.tryAcquire(held);
            config(redis, "maxmemory", "1");
            long keys = redis.dbSize();

            assertNotApplied("maxmemory", () -> backend.tryAcquire(fresh(NAME)));
            assertThat(redis.dbSize()).isEqualTo(keys);
            assertThat(backend.renew(Requests.withTtl(held, Duration.ofMinutes(5))))
                    .isEqualTo(Ownership.HELD);
            assertThat(redis.pttl("lock:held")).isGreaterThan(200_000);
            assertThat(backend.release(held)).isEqualTo(Ownership.HELD);
        }
    }

    @Test
    void saysThatAnotherScriptKeepsTheServerBusy() throws Exception {
        try (RedisServer server = RedisServer.start();
                RedisClient redis = RedisClient.create(server.host(), server.port());
                LockBackend backend = open(server.url())) {
            config(redis, "busy-reply-threshold", "50");
            backend.tryAcquire(fresh("warm"));
            Thread loop = new Thread(() -> {
                try (RedisClient other = RedisClient.create(server.host(), server.port())) {
                    other.eval("while true do end");
                } catch (RuntimeException killed) {
                    // as intended
                }
            });
            loop.start();
            until(Duration.ofSeconds(5), () -> {
                try {
                    return redis.get("x") != null;
                } catch (RuntimeException busy) {
                    return true;
                }
            });

            assertNotApplied("busy", () -> backend.tryAcquire(fresh(NAME)));

            redis.scriptKill();
            // the answer comes at once, the script ends when it next looks: its caller hears of it when it has
            loop.join(Duration.ofSeconds(10).toMillis());
            assertThat(loop.isAlive()).isFalse();
            assertThat(token(backend.tryAcquire(fresh(NAME)))).isPositive();
        }
    }

    @Test
    void namesAHostThatIsNotThere() {
        try (LockBackend backend = open("redis://nowhere.invalid:6379")) {
            LockBackendException failure =
                    catchThrowableOfType(LockBackendException.class, () -> backend.tryAcquire(fresh(NAME)));
            assertThat(failure.outcome()).isEqualTo(Outcome.NOT_APPLIED);
            assertThat(failure).hasMessage("no connection to Redis at nowhere.invalid:6379: the host is unknown");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "+OK\r\n",
                "$-1\r\n",
                "*0\r\n",
                "*1\r\n:1\r\n",
                ":-5\r\n",
                "$1\r\n0\r\n",
                "$3\r\n1e5\r\n",
                "-WHAT is this\r\n",
                "?\r\n"
            })
    void takesNoStrangeAnswerForAGrant(String answer) {
        try (FakeServer server = FakeServer.thatSays(answer);
                LockBackend backend = open(server.url(""))) {
            LockRequest request = fresh(NAME);
            for (Runnable operation : List.<Runnable>of(
                    () -> backend.tryAcquire(request), () -> backend.renew(request), () -> backend.release(request))) {
                LockBackendException failure = catchThrowableOfType(LockBackendException.class, operation::run);
                assertThat(failure).as("failure after %s", answer.strip()).isNotNull();
                assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN);
                assertThat(failure).message().contains("127.0.0.1:");
            }
            assertThat(backend.feature(BatchRenewal.class).orElseThrow().renewAll(List.of(request, request)))
                    .hasSize(2)
                    .hasOnlyElementsOfType(RenewResult.Failed.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":password@"})
    void endsInTimeIfAnAnswerNeverEnds(String userInfo) {
        try (FakeServer server = FakeServer.thatDrips("+" + "x".repeat(1_000), 50);
                LockBackend backend = open(server.url(userInfo))) {
            long start = System.nanoTime();

            assertThatThrownBy(() -> backend.tryAcquire(fresh(NAME).withAnswerWithin(Duration.ofMillis(300))))
                    .isInstanceOf(LockBackendException.class);

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(1_200));
        }
    }

    @Test
    void opensThroughTheManager() throws InterruptedException {
        try (RedisServer server = RedisServer.start();
                RedisClient redis = RedisClient.create(server.host(), server.port());
                LockManager locks = LockManager.open(server.url() + "?prefix=app:&pool=2&clientName=orders")) {
            try (var lease = locks.lock(NAME).acquire(Duration.ofSeconds(5))) {
                assertThat(redis.exists("app:" + NAME)).isTrue();
                assertThat(redis.executeCommand(new CommandArguments(Command.CLIENT).add("LIST")))
                        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.BYTE_ARRAY)
                        .asString()
                        .contains("name=orders");
                assertThat(lease.fencingToken()).isPresent();
            }
            assertThat(redis.exists("app:" + NAME)).isFalse();
        }
    }

    private static LockBackend open(String url) {
        return new RedisLockBackendFactory().open(BackendUrl.parse(url));
    }

    private static void user(RedisClient redis, String... rules) {
        redis.executeCommand(new CommandArguments(Command.ACL).add("SETUSER").addObjects((Object[]) rules));
    }

    private static void config(RedisClient redis, String name, String value) {
        redis.executeCommand(
                new CommandArguments(Command.CONFIG).add("SET").add(name).add(value));
    }

    private static void assertNotApplied(String what, Runnable operation) {
        LockBackendException failure = catchThrowableOfType(LockBackendException.class, operation::run);
        assertThat(failure).as("a failure").isNotNull();
        assertThat(failure).message().contains(what);
        assertThat(failure.outcome()).isEqualTo(Outcome.NOT_APPLIED);
    }

    private static void assertRefused(LockBackend backend, String what) {
        LockRequest request = fresh(NAME);
        LockBackendException failure =
                catchThrowableOfType(LockBackendException.class, () -> backend.tryAcquire(request));
        assertThat(failure).as("a failure").isNotNull();
        assertThat(failure).message().contains("127.0.0.1:").contains(what);
        assertThat(failure.outcome()).as(failure.getMessage()).isEqualTo(Outcome.REFUSED);
        StringWriter trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace));
        assertThat(trace.toString()).doesNotContain(SECRET);
        assertThat(backend.toString()).doesNotContain(SECRET);
    }
}
