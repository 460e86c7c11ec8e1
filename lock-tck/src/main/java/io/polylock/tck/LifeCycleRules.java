// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.polylock.DistributedLock;
import io.polylock.Lease;
import io.polylock.LeaseLostException;
import io.polylock.LockManager;
import io.polylock.LossCause;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockRequest;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** LIF: how managers and backends end. */
abstract class LifeCycleRules extends Rules {

    LifeCycleRules(Supplier<Stage> stage) {
        super(stage);
    }

    @Test
    @DisplayName("LIF-1 MUST refuse work after close with IllegalStateException, and close once only")
    void lif1_isClosedForGood() {
        LockManager manager = stage().manager();
        DistributedLock lock = manager.lock(stage().name());
        manager.close();
        assertDoesNotThrow(manager::close);
        assertThrows(IllegalStateException.class, lock::tryAcquire);
        assertThrows(IllegalStateException.class, () -> lock.acquire(Duration.ofSeconds(1)));

        LockBackend backend = stage().backend();
        LockRequest request = taken(backend, stage().name(), Stage.LONG_TTL);
        backend.close();
        assertDoesNotThrow(backend::close);
        assertThrows(IllegalStateException.class, () -> backend.tryAcquire(request));
        assertThrows(IllegalStateException.class, () -> backend.renew(request));
        assertThrows(IllegalStateException.class, () -> backend.release(request));
        assertFalse(stage().isFree(stage().backend(), request.name().value()), "closing a backend freed a lock");
    }

    @Test
    @DisplayName("LIF-2 MUST fail those who wait at once when it closes")
    void lif2_closingFailsWaiters() {
        String name = stage().name();
        taken(stage().backend(), name, Stage.LONG_TTL);
        LockManager manager = stage().manager();
        DistributedLock lock = stage().fixed(manager, name, Stage.LONG_TTL);
        Stage.Worker<Lease> waiter = stage().fork(() -> lock.acquire(Duration.ofMinutes(10)));
        stage().elapse(Duration.ofMillis(300));

        Stage.Worker<Void> closer = close(manager);

        assertInstanceOf(IllegalStateException.class, stage().failure(waiter, Stage.SOON));
        stage().join(closer, Stage.SOON);
    }

    private Stage.Worker<Void> close(LockManager manager) {
        return stage().fork(() -> {
            manager.close();
            return null;
        });
    }

    @Test
    @DisplayName("LIF-3 MUST wait for holders to finish while its grace lasts")
    void lif3_closingWaitsForHolders() throws Exception {
        LockManager manager =
                stage().manager(stage().backend(), options -> options.withCloseGrace(Duration.ofMinutes(1)));
        Lease lease =
                got(manager.lock(stage().name()).withTtl(Stage.RENEWED_TTL).tryAcquire());

        Stage.Worker<Void> closer = close(manager);
        stage().elapse(Stage.RENEWED_TTL.multipliedBy(2));
        assertTrue(lease.isHeld(), "the lease was not renewed during the grace");
        assertFalse(closer.result().isDone(), "closing did not wait");
        assertDoesNotThrow(lease::close);

        stage().join(closer, Stage.SOON);
    }

    @Test
    @DisplayName(
            "LIF-4 MUST NOT hand a running body's lock away when its grace is over: the lease is lost with CLOSED and its record ends by its TTL")
    void lif4_closingDoesNotFreeWhatIsHeld() throws Exception {
        LockManager manager = stage().manager();
        LockBackend other = stage().backend();
        String name = stage().name();
        Lease lease = got(manager.lock(name).withTtl(Duration.ofSeconds(3)).tryAcquire());
        List<LossCause> heard = new CopyOnWriteArrayList<>();
        lease.onLost(heard::add);

        stage().join(close(manager), Stage.SOON);

        assertFalse(lease.isHeld());
        stage().eventually("the loss is told", Stage.SOON, () -> heard.equals(List.of(LossCause.CLOSED)));
        assertFalse(stage().isFree(other, name), "the lock was handed away");
        assertThrows(LeaseLostException.class, lease::close);
        stage().eventually("the record ends", Stage.SOON, () -> stage().isFree(other, name));
    }

    @Test
    @DisplayName("LIF-5 MUST leave no thread behind after close")
    void lif5_leavesNoThread() throws Exception {
        useAndClose(); // what the client library starts once and keeps is not ours
        Set<Thread> before = new HashSet<>(Thread.getAllStackTraces().keySet());

        useAndClose();

        stage().eventually("all threads are gone", Stage.SOON, () -> leftOver(before)
                .isEmpty());
        assertEquals(Set.of(), leftOver(before));
    }

    @Test
    @DisplayName("LIF-6 MUST end all who wait at once when it closes, futures too, with no thread left of them")
    void lif6_closingEndsACrowd() throws Exception {
        waitAndClose();
        Set<Thread> before = new HashSet<>(Thread.getAllStackTraces().keySet());

        waitAndClose();

        stage().eventually("all threads are gone", Stage.PROMPT, () -> leftOver(before)
                .isEmpty());
    }

    private void waitAndClose() {
        Tampered backend = stage().tampered();
        LockBackend other = stage().backend();
        Ear ear = new Ear();
        LockManager manager = stage().manager(backend, ear);
        List<Stage.Worker<Lease>> threads = new ArrayList<>();
        List<CompletableFuture<Lease>> futures = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            LockRequest holder = taken(other, stage().name(), Stage.LONG_TTL);
            DistributedLock lock = stage().fixed(manager, holder.name().value(), Stage.LONG_TTL);
            for (int j = 0; j < 3; j++) {
                threads.add(stage().fork(() -> lock.acquire(Duration.ofMinutes(10))));
                futures.add(lock.acquireAsync(Duration.ofMinutes(10)));
            }
        }
        stage().eventually("all are in line", Stage.SOON, () -> ear.contended() == 18);

        Stage.Worker<Void> closer = close(manager);

        threads.forEach(thread -> assertInstanceOf(IllegalStateException.class, stage().failure(thread, Stage.PROMPT)));
        futures.forEach(future -> assertInstanceOf(IllegalStateException.class, stage().failure(future, Stage.PROMPT)));
        stage().join(closer, Stage.SOON);
        assertEquals(0, backend.listening(), "listenings that were not ended");
    }

    @Test
    @DisplayName("LIF-7 MUST keep nothing of a lock that nobody holds and nobody waits for")
    void lif7_namesDoNotPileUp() throws Exception {
        int names = 300;
        LockManager manager = stage().manager();
        LockBackend other = stage().backend();
        List<WeakReference<String>> used = new ArrayList<>();
        for (int i = 0; i < names; i++) {
            // a store in this JVM keeps the names that it is told first, and may
            LockRequest first = taken(other, stage().name(), Stage.LONG_TTL);
            assertHeld(other.release(first));
            String name = copyOf(first);
            used.add(new WeakReference<>(name));
            got(stage().fixed(manager, name, Stage.LONG_TTL).tryAcquire()).close();
        }
        for (int batch = 0; batch < names / 50; batch++) {
            List<CompletableFuture<Lease>> waiting = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                String name = copyOf(taken(other, stage().name(), Stage.LONG_TTL));
                used.add(new WeakReference<>(name));
                waiting.add(stage().fixed(manager, name, Stage.LONG_TTL).acquireAsync(Duration.ofMillis(100)));
            }
            waiting.get(0).cancel(false);
            waiting.subList(1, waiting.size()).forEach(future -> stage().failure(future, Stage.SOON));
        }
        stage().elapse(Duration.ofMillis(100));

        for (int i = 0; i < 20 && alive(used) > 5; i++) {
            System.gc();
            stage().elapse(Duration.ofMillis(50));
        }
        assertTrue(alive(used) <= 5, alive(used) + " of " + used.size() + " names are kept");
        manager.close();
    }

    private static long alive(List<WeakReference<String>> used) {
        return used.stream().filter(name -> name.get() != null).count();
    }

    @SuppressWarnings("StringCopy") // an instance of its own, whose end can be seen
    private static String copyOf(LockRequest request) {
        return new String(request.name().value());
    }

    private void useAndClose() throws Exception {
        LockManager manager = stage().manager();
        Lease lease =
                got(manager.lock(stage().name()).withTtl(Duration.ofMillis(300)).tryAcquire());
        lease.onLost(cause -> {});
        stage().elapse(Duration.ofMillis(400));
        lease.release();
        stage().join(close(manager), Stage.SOON);
    }

    private static Set<String> leftOver(Set<Thread> before) {
        Set<String> names = new HashSet<>();
        Thread.getAllStackTraces().keySet().forEach(thread -> {
            String name = thread.getName();
            // the kit's own, and those of a test platform that runs tests in parallel
            boolean ours =
                    !name.startsWith("tck-") && !name.startsWith("virtual-clock-") && !name.startsWith("ForkJoinPool");
            if (!before.contains(thread)
                    && thread.isAlive()
                    && ours
                    && thread.getThreadGroup() != null
                    && !"system".equals(thread.getThreadGroup().getName())
                    && !"InnocuousThreadGroup".equals(thread.getThreadGroup().getName())) {
                names.add(name);
            }
        });
        return names;
    }
}
