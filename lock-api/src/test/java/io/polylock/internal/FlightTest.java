// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.LockEvent.UndoStep;
import io.polylock.LockEvent.WokenBy;
import io.polylock.LockManager;
import io.polylock.LossCause;
import io.polylock.ReleaseOutcome;
import io.polylock.spi.LockClock;
import io.polylock.spi.LockName;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import jdk.jfr.EventType;
import jdk.jfr.Recording;
import jdk.jfr.Timespan;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class FlightTest {

    private static final LockName NAME = new LockName("flight");

    @TempDir
    private Path directory;

    private final Observers observers = Observers.of(List.of(), LockClock.system());

    private List<RecordedEvent> recorded(Recording recording) throws IOException {
        recording.stop();
        Path file = directory.resolve("flight.jfr");
        recording.dump(file);
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith("io.polylock."))
                .filter(event -> event.getString("lockName").equals(NAME.value()))
                .toList();
    }

    private static RecordedEvent one(List<RecordedEvent> events, String name) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals("io.polylock." + name))
                .reduce((one, two) -> {
                    throw new AssertionError("two of " + name);
                })
                .orElseThrow();
    }

    private void tellAll() {
        observers.acquired(NAME, 5_000_000, WokenBy.SIGNAL, OptionalLong.of(42));
        observers.contended(NAME, Optional.of(Duration.ofSeconds(7)));
        observers.timedOut(NAME, 3_000_000);
        observers.renewed(NAME, 19_000_000);
        observers.lost(NAME, LossCause.TAKEN, 11_000_000);
        observers.released(NAME, ReleaseOutcome.UNKNOWN, 13_000_000);
        observers.undo(NAME, UndoStep.GIVEN_UP);
        observers.signalGap(NAME);
    }

    @Test
    void recordsEveryEventWithItsValues() throws IOException {
        try (Recording recording = new Recording()) {
            recording.start();
            tellAll();
            List<RecordedEvent> events = recorded(recording);

            RecordedEvent acquired = one(events, "Acquired");
            assertThat(acquired.getDuration("waited")).isEqualTo(Duration.ofMillis(5));
            assertThat(acquired.getString("wokenBy")).isEqualTo("SIGNAL");
            assertThat(acquired.getLong("fencingToken")).isEqualTo(42);
            assertThat(acquired.getThread().getJavaName())
                    .isEqualTo(Thread.currentThread().getName());
            assertThat(one(events, "Contended").getDuration("freeIn")).isEqualTo(Duration.ofSeconds(7));
            assertThat(one(events, "TimedOut").getDuration("waited")).isEqualTo(Duration.ofMillis(3));
            assertThat(one(events, "Renewed").getDuration("margin")).isEqualTo(Duration.ofMillis(19));
            assertThat(one(events, "Lost").getString("cause")).isEqualTo("TAKEN");
            assertThat(one(events, "Lost").getDuration("held")).isEqualTo(Duration.ofMillis(11));
            assertThat(one(events, "Released").getString("outcome")).isEqualTo("UNKNOWN");
            assertThat(one(events, "Released").getDuration("held")).isEqualTo(Duration.ofMillis(13));
            assertThat(one(events, "Undo").getString("step")).isEqualTo("GIVEN_UP");
            assertThat(one(events, "SignalGap").getStackTrace()).isNull();
            assertThat(events).hasSize(8).allSatisfy(event -> {
                EventType type = event.getEventType();
                assertThat(type.getLabel()).isNotBlank();
                assertThat(type.getDescription()).isNotBlank();
                assertThat(type.getCategoryNames()).containsExactly("Polylock");
                assertThat(event.getStackTrace()).isNull();
            });
        }
    }

    @Test
    void aTimeThatTheStoreDidNotTellIsNotAvailable() throws IOException {
        try (Recording recording = new Recording()) {
            recording.start();
            observers.contended(NAME, Optional.empty());
            RecordedEvent contended = one(recorded(recording), "Contended");
            assertThat(contended.toString()).contains("freeIn = N/A");
        }
    }

    @Test
    void everyTimeIsATimespan() throws IOException {
        try (Recording recording = new Recording()) {
            recording.start();
            tellAll();
            assertThat(recorded(recording).stream()
                            .flatMap(event -> event.getEventType().getFields().stream())
                            .filter(field -> field.getAnnotation(Timespan.class) != null)
                            .map(ValueDescriptor::getName))
                    .contains("waited", "freeIn", "margin", "held");
        }
    }

    @Test
    void recordsTheLocksOfAManagerWithoutRegistration() throws Exception {
        try (Recording recording = new Recording();
                LockManager locks = LockManager.open("memory:flight")) {
            recording.start();
            locks.lock(NAME.value()).acquire(Duration.ofSeconds(1)).close();
            List<RecordedEvent> events = recorded(recording);
            assertThat(events)
                    .extracting(event -> event.getEventType().getName())
                    .containsExactly("io.polylock.Acquired", "io.polylock.Released");
        }
    }

    @Test
    void recordsNothingThatIsSwitchedOff() throws IOException {
        try (Recording recording = new Recording()) {
            recording.disable("io.polylock.Acquired");
            recording.start();
            tellAll();
            assertThat(recorded(recording))
                    .extracting(event -> event.getEventType().getName())
                    .hasSize(7)
                    .doesNotContain("io.polylock.Acquired");
        }
    }

    /** Runs in a JVM of its own. */
    static final class WithoutTheModule {

        private WithoutTheModule() {}

        public static void main(String[] args) throws InterruptedException {
            if (ModuleLayer.boot().findModule("jdk.jfr").isPresent()) {
                throw new IllegalStateException("the module is there");
            }
            Heard heard = new Heard();
            io.polylock.ManagerOptions options = io.polylock.ManagerOptions.DEFAULTS.withListener(heard);
            try (LockManager locks = LockManager.open("memory:without", options)) {
                locks.lock("a").acquire(Duration.ofSeconds(1)).close();
            }
            System.out.println("heard " + heard.events.size());
        }
    }

    @Test
    void aJvmWithoutTheRecorderHasLocksAndListeners() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--limit-modules",
                        "java.base,java.logging",
                        "-cp",
                        location(LockManager.class) + File.pathSeparator + location(FlightTest.class),
                        WithoutTheModule.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("out").toFile())
                .start();
        try {
            assertThat(process.waitFor(50, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(Files.readString(directory.resolve("out"))).isEqualToIgnoringNewLines("heard 2");
    }

    private static String location(Class<?> type) throws Exception {
        URI location = type.getProtectionDomain().getCodeSource().getLocation().toURI();
        return Path.of(location).toString();
    }
}
