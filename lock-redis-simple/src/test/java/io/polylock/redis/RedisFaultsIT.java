// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import static io.polylock.redis.Requests.PATIENCE;
import static io.polylock.redis.Requests.fresh;
import static io.polylock.redis.Requests.token;
import static io.polylock.redis.Requests.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.polylock.Lease;
import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.LockManager;
import io.polylock.ManagerOptions;
import io.polylock.ReleaseOutcome;
import io.polylock.redis.Way.Opened;
import io.polylock.servers.RedisServer;
import io.polylock.spi.Acquisition;
import io.polylock.spi.BackendUrl;
import io.polylock.spi.BatchRenewal;
import io.polylock.spi.Inspection;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockRequest;
import io.polylock.spi.Ownership;
import io.polylock.spi.QuorumMember;
import io.polylock.spi.RenewResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Connection;
import redis.clients.jedis.RedisClient;

/** What becomes of requests while a real server hangs, dies, or is in no state to serve. */
@ParameterizedClass
@EnumSource(
        value = Way.class,
        names = {"URL", "POOLED_CLIENT"})
class RedisFaultsIT {

    private static final String NAME = "orders/42";
    private static final String KEY = "lock:" + NAME;
    private static final Duration BOUND = Duration.ofMillis(300);
    private static final Duration GRACE = Duration.ofMillis(900);

    private final Way way;
    private RedisServer server;
    private RedisClient redis;
    private Opened opened;
    private LockBackend backend;

    RedisFaultsIT(Way way) {
        this.way = way;
    }

    @BeforeEach
    void open() {
        server = RedisServer.start();
        redis = RedisClient.create(server.host(), server.port());
        opened = way.open(server, RedisOptions.DEFAULTS);
        backend = opened.backend();
    }

    @AfterEach
    void close() {
        opened.close();
        redis.close();
        server.close();
    }

    @Test
    void endsEveryOperationInTimeIfAWarmServerHangs() {
        LockRequest held = fresh(NAME);
        token(backend.tryAcquire(held));
        List<Runnable> operations = List.of(
                () -> backend.tryAcquire(fresh(NAME).withAnswerWithin(BOUND)),
                () -> backend.renew(held.withAnswerWithin(BOUND)),
                () -> backend.release(held.withAnswerWithin(BOUND)),
                () -> backend.feature(QuorumMember.class)
                        .orElseThrow()
                        .join(held.withAnswerWithin(BOUND), Optional.empty()),
                () -> backend.feature(Inspection.class).orElseThrow().inspect(held.name(), BOUND),
                () -> backend.feature(Inspection.class).orElseThrow().list(Optional.empty(), 10, BOUND));
        for (Runnable operation : operations) {
            backend.renew(held);
            server.pause();
            try {
                assertThat(failureInTime(operation)).isEqualTo(Outcome.UNKNOWN);
            } finally {
                server.resume();
            }
        }
    }

    @Test
    void endsABatchInTimeIfAWarmServerHangs() {
        LockRequest held = fresh(NAME).withAnswerWithin(BOUND);
        backend.tryAcquire(held);
        server.pause();
        long start = System.nanoTime();

        List<RenewResult> results =
                backend.feature(BatchRenewal.class).orElseThrow().renewAll(List.of(held, held));

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(BOUND.plus(GRACE));
        assertThat(results).hasSize(2).allSatisfy(result -> assertThat(result)
                .isInstanceOfSatisfying(
                        RenewResult.Failed.class,
                        failed -> assertThat(failed.failure().outcome()).isEqualTo(Outcome.UNKNOWN)));
    }

    @Test
    void knowsThatNothingWasSentIfTheHandshakeHangs() {
        coolDown();
        String named = server.url() + "?clientName=me";
        try (LockBackend cold =
                way == Way.URL ? new RedisLockBackendFactory().open(BackendUrl.parse(named)) : backend) {
            server.pause();

            assertThat(failureInTime(() -> cold.tryAcquire(fresh(NAME).withAnswerWithin(BOUND))))
                    .isEqualTo(Outcome.NOT_APPLIED);

            server.resume();
            token(cold.tryAcquire(fresh(NAME)));
        }
    }

    @Test
    void neverReadsTheAnswerToAnEarlierRequest() {
        LockRequest held = fresh(NAME);
        token(backend.tryAcquire(held));
        server.pause();
        outcome(() -> backend.renew(held.withAnswerWithin(BOUND)));
        server.resume();

        for (int i = 0; i < 10; i++) {
            assertThat(backend.release(fresh("free"))).isEqualTo(Ownership.ABSENT);
            assertThat(backend.renew(held)).isEqualTo(Ownership.HELD);
        }
    }

    @Test
    void knowsThatNothingWasSentIfThereIsNoServer() {
        coolDown();
        server.kill();

        assertThat(failureInTime(() -> backend.tryAcquire(fresh(NAME).withAnswerWithin(BOUND))))
                .isEqualTo(Outcome.NOT_APPLIED);
        assertThat(failureInTime(() -> backend.release(fresh(NAME).withAnswerWithin(BOUND))))
                .isEqualTo(Outcome.NOT_APPLIED);
        try (LockManager locks = LockManager.of(backend)) {
            assertThatThrownBy(() -> locks.lock(NAME).tryAcquire()).isInstanceOf(LockBackendException.class);
            assertThatThrownBy(() -> locks.lock(NAME).acquire(BOUND))
                    .as("unavailable, not contended")
                    .isInstanceOf(LockBackendException.class);
        }
    }

    @Test
    void recoversAfterTheServerWasReplaced() {
        List<LockRequest> requests = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            requests.add(fresh("n" + i));
        }
        requests.parallelStream().forEach(backend::tryAcquire);
        server.kill();
        server.restartEmpty();

        int failures = 0;
        for (int i = 0; i < 10; i++) {
            try {
                backend.tryAcquire(fresh("again" + i));
            } catch (LockBackendException stale) {
                assertThat(stale.outcome()).isEqualTo(Outcome.UNKNOWN);
                failures++;
            }
        }
        assertThat(failures).as("requests lost to stale connections").isLessThanOrEqualTo(way == Way.URL ? 1 : 8);
    }

    @Test
    void leaksNoConnectionInFaults() {
        LockRequest held = fresh(NAME);
        backend.tryAcquire(held);
        for (int round = 0; round < 5; round++) {
            server.pause();
            List<CompletableFuture<Void>> requests = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                Duration bound = Duration.ofMillis(20 + i);
                requests.add(
                        CompletableFuture.runAsync(() -> outcome(() -> backend.renew(held.withAnswerWithin(bound)))));
            }
            requests.forEach(request -> request.orTimeout(10, TimeUnit.SECONDS).join());
            server.resume();
        }

        opened.client()
                .ifPresent(client -> until(
                        Duration.ofSeconds(10),
                        () -> ((RedisClient) client).getPool().getNumActive() == 0));
        List<CompletableFuture<Ownership>> all = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            all.add(CompletableFuture.supplyAsync(() -> backend.renew(held)));
        }
        assertThat(all)
                .allSatisfy(each ->
                        assertThat(each.orTimeout(10, TimeUnit.SECONDS).join()).isEqualTo(Ownership.HELD));
    }

    @Test
    void leavesTheTimeoutOfAnApplicationsConnectionAsItWas() {
        for (LockRequest request : List.of(fresh("a"), fresh("b").withAnswerWithin(BOUND))) {
            backend.tryAcquire(request);
        }
        opened.client().ifPresent(client -> {
            try (Connection connection = ((RedisClient) client).getPool().getResource()) {
                assertThat(connection.getSoTimeout()).isEqualTo(2_000);
            }
        });
    }

    @Test
    void interruptedAcquireThrowsAndLeavesNothing() {
        try (LockManager locks = manager(Duration.ofMillis(500))) {
            backend.tryAcquire(fresh("warm"));
            server.pause();
            AtomicReference<Throwable> thrown = new AtomicReference<>();
            Thread waiter = started(() -> {
                try {
                    locks.lock(NAME).withTtl(Duration.ofSeconds(60)).acquire(Duration.ofSeconds(30));
                } catch (Throwable e) {
                    thrown.set(e);
                }
            });
            until(PATIENCE, () -> isInSocket(waiter));
            waiter.interrupt();
            joined(waiter);

            assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
            server.resume();
            until(Duration.ofSeconds(10), () -> !redis.exists(KEY) && canAcquire());
        }
    }

    @Test
    void interruptedReleaseKeepsTheFlagAndLeavesNothing() throws InterruptedException {
        try (LockManager locks = manager(Duration.ofMillis(500))) {
            Lease lease = locks.lock(NAME).withTtl(Duration.ofSeconds(60)).acquire(PATIENCE);
            server.pause();
            AtomicReference<ReleaseOutcome> found = new AtomicReference<>();
            AtomicReference<Boolean> flag = new AtomicReference<>();
            Thread holder = started(() -> {
                Thread.currentThread().interrupt();
                found.set(lease.release());
                flag.set(Thread.currentThread().isInterrupted());
            });
            joined(holder);

            assertThat(found.get()).isEqualTo(ReleaseOutcome.UNKNOWN);
            assertThat(flag.get()).isTrue();
            server.resume();
            until(Duration.ofSeconds(10), () -> !redis.exists(KEY));
        }
    }

    @Test
    void interruptedRenewalKeepsTheFlag() {
        LockRequest held = fresh(NAME);
        backend.tryAcquire(held);
        server.pause();
        Thread.currentThread().interrupt();

        assertThat(outcome(() -> backend.renew(held.withAnswerWithin(BOUND)))).isEqualTo(Outcome.UNKNOWN);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void takesAFreeConnectionOnAnInterruptedThread() {
        LockRequest held = fresh(NAME);
        backend.tryAcquire(held);
        Thread.currentThread().interrupt();

        assertThat(backend.release(held)).isEqualTo(Ownership.HELD);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void doesNotWaitForeverForAConnection() {
        backend.tryAcquire(fresh("warm"));
        useUpThePool(() -> {
            assertThat(failureInTime(() -> backend.tryAcquire(fresh(NAME).withAnswerWithin(BOUND))))
                    .isEqualTo(Outcome.NOT_APPLIED);
            assertThatThrownBy(() -> backend.tryAcquire(fresh(NAME).withAnswerWithin(BOUND)))
                    .hasMessageContaining("in use");
        });
        token(backend.tryAcquire(fresh(NAME)));
    }

    @Test
    void interruptEndsTheWaitForAConnection() {
        backend.tryAcquire(fresh("warm"));
        useUpThePool(() -> {
            Thread.currentThread().interrupt();
            long start = System.nanoTime();

            assertThat(outcome(() -> backend.tryAcquire(fresh(NAME)))).isEqualTo(Outcome.NOT_APPLIED);

            assertThat(Thread.interrupted()).isTrue();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(GRACE);
            try (LockManager locks = manager(Duration.ofSeconds(2))) {
                Thread me = Thread.currentThread();
                Thread interrupter = started(() -> {
                    until(PATIENCE, () -> me.getState() == Thread.State.TIMED_WAITING);
                    me.interrupt();
                });
                assertThatThrownBy(() -> locks.lock(NAME).acquire(Duration.ofSeconds(30)))
                        .isInstanceOf(InterruptedException.class);
                joined(interrupter);
            }
        });
    }

    @Test
    void staysSilentInTheLog() {
        List<LogRecord> records = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord record) {
                synchronized (records) {
                    records.add(record);
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger.getLogger("").addHandler(handler);
        try {
            LockRequest held = fresh(NAME);
            backend.tryAcquire(held);
            server.pause();
            outcome(() -> backend.renew(held.withAnswerWithin(BOUND)));
            server.resume();
            backend.renew(held);
            server.kill();
            outcome(() -> backend.renew(held));
            outcome(() -> backend.renew(held));
        } finally {
            Logger.getLogger("").removeHandler(handler);
        }
        assertThat(records).isEmpty();
    }

    private LockManager manager(Duration answerWithin) {
        return LockManager.of(
                backend, ManagerOptions.DEFAULTS.withAnswerWithin(answerWithin).withCloseGrace(Duration.ZERO));
    }

    private boolean canAcquire() {
        LockRequest probe = fresh(NAME);
        return backend.tryAcquire(probe) instanceof Acquisition.Granted && backend.release(probe) == Ownership.HELD;
    }

    /** Keeps every connection of the backend busy while something runs. */
    private void useUpThePool(Runnable meanwhile) {
        if (opened.client().isPresent()) {
            RedisClient client = (RedisClient) opened.client().orElseThrow();
            List<Connection> borrowed = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                borrowed.add(client.getPool().getResource());
            }
            meanwhile.run();
            borrowed.forEach(Connection::close);
            return;
        }
        server.pause();
        List<Thread> busy = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            busy.add(started(() -> backend.renew(fresh("busy").withAnswerWithin(Duration.ofSeconds(20)))));
        }
        until(PATIENCE, () -> busy.stream().allMatch(RedisFaultsIT::isInSocket));
        meanwhile.run();
        server.resume();
        busy.forEach(RedisFaultsIT::joined);
    }

    /** The outcome of a request that must fail, and within its time. */
    private static Outcome failureInTime(Runnable request) {
        long start = System.nanoTime();
        Outcome outcome = outcome(request);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(BOUND.plus(GRACE));
        return outcome;
    }

    private static Outcome outcome(Runnable request) {
        LockBackendException failure = catchThrowableOfType(LockBackendException.class, request::run);
        assertThat(failure).as("a failure").isNotNull();
        assertThat(failure).message().contains("127.0.0.1:").doesNotContain("\n");
        return failure.outcome();
    }

    /** Ends the connection that a client of Jedis opens when it is built. */
    private void coolDown() {
        opened.client().ifPresent(client -> {
            backend.tryAcquire(fresh("warm"));
            ((RedisClient) client).getPool().clear();
        });
    }

    private static boolean isInSocket(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("readByte"));
    }

    private static Thread started(Runnable task) {
        Thread thread = new Thread(task, "test");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void joined(Thread thread) {
        until(Duration.ofSeconds(15), () -> !thread.isAlive());
    }
}
