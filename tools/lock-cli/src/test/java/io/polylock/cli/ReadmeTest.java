// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.DistributedLock;
import io.polylock.Lease;
import io.polylock.LockEvent;
import io.polylock.LockListener;
import io.polylock.LockManager;
import io.polylock.ManagerOptions;
import io.polylock.memory.MemoryLockBackend;
import io.polylock.memory.MemoryStore;
import io.polylock.memory.VirtualClock;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the README says is true: its code compiles, and the gate runs its commands. */
class ReadmeTest {

    private static final Path ROOT = Path.of(System.getProperty("polylock.root"));

    private record Receipt(long token) {}

    private record Ledger(List<String> lines) {
        void append(String entry, long token) {
            lines.add(token + " " + entry);
        }
    }

    private static Receipt transfer(Lease lease) {
        return new Receipt(lease.fencingToken().orElseThrow());
    }

    /** The README's code, to the letter. */
    static Receipt useIt(Ledger ledger, String entry) throws InterruptedException {
        // snippet: readme
        try (LockManager locks = LockManager.open("redis://localhost:6379")) {
            DistributedLock lock = locks.lock("orders/42").withTtl(Duration.ofSeconds(30));

            try (Lease lease = lock.acquire(Duration.ofSeconds(5))) { // LockTimeoutException names the time left
                ledger.append(entry, lease.fencingToken().orElseThrow());
            } // loud if the lease was lost meanwhile

            Optional<Lease> maybe = lock.tryAcquire(); // one answer, no waiting
            maybe.ifPresent(Lease::close);
            Receipt receipt = lock.call(Duration.ofSeconds(5), lease -> transfer(lease)); // acquire, run, release
            CompletableFuture<Lease> later = lock.acquireAsync(Duration.ofSeconds(5)); // no thread waits
            later.cancel(true); // gives up: nothing stays locked
            // end
            return receipt;
        }
    }

    @Test
    void timeInATestMovesAsTheReadmeSays() throws Exception {
        // snippet: virtual
        VirtualClock clock = new VirtualClock();
        LockManager locks =
                LockManager.of(MemoryLockBackend.of(MemoryStore.on(clock)), ManagerOptions.DEFAULTS.withClock(clock));
        Lease lease = locks.lock("orders/42").withoutRenewal().tryAcquire().orElseThrow();
        clock.advance(Duration.ofSeconds(30));
        assert !lease.isHeld();
        // end
        assertThat(lease.isHeld()).isFalse();
        locks.close();
    }

    @Test
    void aListenerHearsAsTheDocumentSays() throws Exception {
        AtomicLong waits = new AtomicLong();
        Set<String> lost = ConcurrentHashMap.newKeySet();
        // snippet: observing
        LockListener metrics = new LockListener() {
            @Override
            public void acquired(LockEvent.Acquired event) {
                waits.addAndGet(event.waited().toMillis());
            }

            @Override
            public void lost(LockEvent.Lost event) {
                lost.add(event.lockName() + " after " + event.held() + ": " + event.cause());
            }
        };
        LockManager locks = LockManager.open("memory:orders", ManagerOptions.DEFAULTS.withListener(metrics));
        // end
        Lease lease = locks.lock("orders/42")
                .withTtl(Duration.ofMillis(500))
                .withoutRenewal()
                .tryAcquire()
                .orElseThrow();
        CountDownLatch over = new CountDownLatch(1);
        lease.onLost(cause -> over.countDown());
        assertThat(over.await(30, TimeUnit.SECONDS)).isTrue();
        locks.close();
        assertThat(lost).singleElement().asString().matches("orders/42 after PT0\\.\\d+S: EXPIRED");
        assertThat(waits.get()).isNotNegative();
    }

    @Test
    void theEventsInTheDocumentAreTheEventsThatThereAre() throws IOException {
        String document = String.join("\n", lines("docs/observing.md"));
        assertThat(LockEvent.class.getPermittedSubclasses()).isNotEmpty().allSatisfy(event -> {
            String fields = Stream.of(event.getRecordComponents())
                    .map(RecordComponent::getName)
                    .filter(name -> !name.equals("lockName"))
                    .map(name -> "`" + name + "`")
                    .collect(Collectors.joining(", "));
            assertThat(document)
                    .containsPattern("\\| `io\\.polylock\\." + event.getSimpleName() + "` \\| " + Pattern.quote(fields)
                            + " \\|");
        });
    }

    @Test
    void theCodeInTheReadmeIsTheCodeThatCompiles() throws IOException {
        List<String> longer = new ArrayList<>(compiled("readme"));
        longer.add("}");
        assertThat(written("README.md", "readme")).isEqualTo(longer);
        assertThat(written("README.md", "virtual")).isEqualTo(compiled("virtual"));
        assertThat(written("docs/observing.md", "observing")).isEqualTo(compiled("observing"));
    }

    private static List<String> compiled(String snippet) throws IOException {
        List<String> source = lines("tools/lock-cli/src/test/java/io/polylock/cli/ReadmeTest.java");
        List<String> fromStart = source.subList(trimmed(source).indexOf("// snippet: " + snippet) + 1, source.size());
        return fromStart.subList(0, trimmed(fromStart).indexOf("// end")).stream()
                .map(line -> line.isBlank() ? "" : line.substring(8))
                .toList();
    }

    private static List<String> written(String file, String snippet) throws IOException {
        List<String> document = lines(file);
        int block = document.indexOf("<!-- snippet: " + snippet + " -->") + 2;
        return document.subList(
                block, block + document.subList(block, document.size()).indexOf("```"));
    }

    @Test
    void theGateRunsTheCommandsOfTheReadme() throws IOException {
        List<String> readme = lines("README.md");
        String gate = String.join("\n", lines(".ci/run"));

        assertThat(readme).contains("./polylock demo", "mvn verify");
        assertThat(gate).contains("./polylock demo").containsPattern("mvn( -\\S+)* verify");
    }

    @Test
    void everyLinkOfTheDocumentsLeadsSomewhere() throws IOException {
        Pattern link = Pattern.compile("]\\(([^)#:]+)\\)");
        try (Stream<Path> documents = Files.walk(ROOT.resolve("docs"))) {
            List<Path> all = new ArrayList<>(
                    documents.filter(path -> path.toString().endsWith(".md")).toList());
            all.addAll(List.of(ROOT.resolve("README.md"), ROOT.resolve("CONTRIBUTING.md")));
            for (Path document : all) {
                Matcher matcher = link.matcher(Files.readString(document));
                while (matcher.find()) {
                    assertThat(document.resolveSibling(matcher.group(1)))
                            .as("link in %s", ROOT.relativize(document))
                            .exists();
                }
            }
        }
    }

    private static List<String> lines(String file) throws IOException {
        return Files.readAllLines(ROOT.resolve(file));
    }

    private static List<String> trimmed(List<String> lines) {
        return lines.stream().map(String::strip).toList();
    }
}
