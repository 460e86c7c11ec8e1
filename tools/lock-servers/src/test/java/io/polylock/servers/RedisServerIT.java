// SPDX-License-Identifier: Apache-2.0
package io.polylock.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.PrimitiveIterator;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisServerIT {

    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int SILENCE_MILLIS = 300;
    private static final String URL_PROPERTY = "polylock.redis.url";
    private static final String BINARY_PROPERTY = "polylock.redis.binary";

    @AfterEach
    void forgetSettings() {
        System.clearProperty(URL_PROPERTY);
        System.clearProperty(BINARY_PROPERTY);
    }

    @Nested
    class Start {

        @Test
        void returnsAServerThatAnswersAtItsUrl() throws IOException {
            try (RedisServer server = RedisServer.start()) {
                assertThat(server.url()).isEqualTo("redis://127.0.0.1:" + server.port());
                assertThat(RedisConnection.ask(server, "PING")).isEqualTo("+PONG");
                assertThat(ProcessState.of(server.pid())).isEqualTo(ProcessState.RUNNING);
            }
        }

        @Test
        void keepsNothingOnDiskByDefault() throws IOException {
            try (RedisServer server = RedisServer.start();
                    RedisConnection connection = RedisConnection.open(server)) {
                for (String setting : List.of("save", "appendonly")) {
                    connection.send("CONFIG GET " + setting);
                    assertThat(connection.answers(5)).endsWith(setting.equals("save") ? "" : "no");
                }
            }
        }

        @Test
        void asksForThePasswordThatItsUrlHolds() throws IOException {
            String password = "s3cret: \"p@ss\\w/rd\" +%é";
            try (RedisServer server = RedisServer.start(RedisServerOptions.DEFAULTS.withPassword(password))) {
                assertThat(RedisConnection.ask(server, "PING")).startsWith("-NOAUTH");
                assertThat(URI.create(server.url()).getUserInfo()).isEqualTo(":" + password);
                assertThat(URI.create(server.url()).getPort()).isEqualTo(server.port());
            }
        }

        @Test
        void appliesConfigLines() throws IOException {
            RedisServerOptions options = RedisServerOptions.DEFAULTS.withConfigLine("rename-command PING HELLO-THERE");
            try (RedisServer server = RedisServer.start(options)) {
                assertThat(RedisConnection.ask(server, "HELLO-THERE")).isEqualTo("+PONG");
            }
        }

        @Test
        void takesAnotherPortWhenItsOwnWasTaken() throws IOException {
            try (RedisServer other = RedisServer.start()) {
                PrimitiveIterator.OfInt ports =
                        IntStream.of(other.port(), LocalPort.findFree()).iterator();
                try (RedisServer server = RedisServer.start(ports::nextInt, RedisServerOptions.DEFAULTS)) {
                    assertThat(server.port()).isNotEqualTo(other.port());
                    assertThat(RedisConnection.ask(server, "PING")).isEqualTo("+PONG");
                }
            }
        }

        @Test
        void startsFiveServersAtOnce() throws Exception {
            ExecutorService threads = Executors.newFixedThreadPool(5);
            try {
                List<Future<RedisServer>> starts = Stream.generate(() -> threads.submit(() -> RedisServer.start()))
                        .limit(5)
                        .toList();
                for (Future<RedisServer> start : starts) {
                    RedisConnection.ask(
                            start.get(), "SET only-on " + start.get().port());
                }
                for (Future<RedisServer> start : starts) {
                    try (RedisServer server = start.get();
                            RedisConnection connection = RedisConnection.open(server)) {
                        connection.send("GET only-on");
                        assertThat(connection.answer()).startsWith("$");
                        assertThat(connection.answer()).isEqualTo(Integer.toString(server.port()));
                    }
                }
            } finally {
                threads.shutdownNow();
            }
        }

        @Test
        void isNotCutShortByAnInterrupt() throws IOException {
            Thread.currentThread().interrupt();
            try (RedisServer server = RedisServer.start()) {
                assertThat(Thread.interrupted()).as("interrupt flag").isTrue();
                assertThat(RedisConnection.ask(server, "PING")).isEqualTo("+PONG");
            }
        }

        @Test
        void failsAtOnceAndShowsTheLog() {
            RedisServerOptions options = RedisServerOptions.DEFAULTS.withConfigLine("no-such-directive 1");
            long startNanos = System.nanoTime();

            assertThatThrownBy(() -> RedisServer.start(options))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("ended before it was ready", "no-such-directive");
            assertThat(Duration.ofNanos(System.nanoTime() - startNanos)).isLessThan(Duration.ofSeconds(5));
        }
    }

    @Nested
    class Pause {

        @Test
        void holdsBackAnswersUntilResumed() throws IOException {
            try (RedisServer server = RedisServer.start();
                    RedisConnection connection = RedisConnection.open(server)) {
                server.pause();
                connection.send("PING");
                connection.waitAtMostMillis(SILENCE_MILLIS);
                assertThatThrownBy(connection::answer).isInstanceOf(SocketTimeoutException.class);

                server.resume();
                connection.waitAtMostMillis((int) LIMIT.toMillis());
                assertThat(connection.answer()).isEqualTo("+PONG");
            }
        }

        @Test
        void returnsOnceTheProcessIsStoppedAndResumeOnceItRuns() {
            try (RedisServer server = RedisServer.start()) {
                for (int round = 0; round < 50; round++) {
                    server.pause();
                    assertThat(ProcessState.of(server.pid())).isEqualTo(ProcessState.STOPPED);
                    server.resume();
                    assertThat(ProcessState.of(server.pid())).isEqualTo(ProcessState.RUNNING);
                }
            }
        }

        @Test
        void changesNothingTheSecondTime() throws IOException {
            try (RedisServer server = RedisServer.start()) {
                server.pause();
                server.pause();
                server.resume();
                server.resume();
                assertThat(RedisConnection.ask(server, "PING")).isEqualTo("+PONG");
            }
        }

        @Test
        void saysAtOnceThatTheServerHasCrashed() {
            try (RedisServer server = RedisServer.start()) {
                crash(server);
                long startNanos = System.nanoTime();
                assertThatThrownBy(server::pause).hasMessageContaining("is ENDED, not STOPPED");
                assertThat(Duration.ofNanos(System.nanoTime() - startNanos)).isLessThan(Duration.ofSeconds(5));
            }
        }
    }

    @Nested
    class Kill {

        @Test
        void endsTheProcessAndRefusesClients() throws IOException {
            try (RedisServer server = RedisServer.start()) {
                long pid = server.pid();
                Path directory = server.directory();

                server.kill();

                assertThat(ProcessHandle.of(pid)).isEmpty();
                assertThat(directory).doesNotExist();
                assertThatThrownBy(() -> RedisConnection.open(server)).isInstanceOf(ConnectException.class);
            }
        }

        @ParameterizedTest
        @EnumSource(Condition.class)
        void isFollowedByAnEmptyServerOnTheSamePort(Condition condition) throws IOException {
            try (RedisServer server = RedisServer.start()) {
                int port = server.port();
                long pid = server.pid();
                assertThat(RedisConnection.ask(server, "SET key value")).isEqualTo("+OK");
                assertThat(RedisConnection.ask(server, "EXISTS key")).isEqualTo(":1");
                condition.bringAbout(server);

                server.kill();
                server.restartEmpty();

                assertThat(server.port()).isEqualTo(port);
                assertThat(server.pid()).isNotEqualTo(pid);
                assertThat(RedisConnection.ask(server, "EXISTS key")).isEqualTo(":0");
            }
        }

        @Test
        void isEmptyAlsoAfterPersistence() throws IOException {
            try (RedisServer server = RedisServer.start(RedisServerOptions.DEFAULTS.withConfigLine("appendonly yes"))) {
                assertThat(RedisConnection.ask(server, "SET key value")).isEqualTo("+OK");
                assertThat(RedisConnection.ask(server, "SAVE")).isEqualTo("+OK");

                server.kill();
                server.restartEmpty();

                assertThat(RedisConnection.ask(server, "EXISTS key")).isEqualTo(":0");
            }
        }

        @Test
        void keepsThePassword() throws IOException {
            try (RedisServer server = RedisServer.start(RedisServerOptions.DEFAULTS.withPassword("secret"))) {
                server.kill();
                server.restartEmpty();
                assertThat(RedisConnection.ask(server, "AUTH secret")).isEqualTo("+OK");
                assertThat(RedisConnection.ask(server, "PING")).startsWith("-NOAUTH");
            }
        }

        @Test
        void leavesNoOtherFaultThanRestart() {
            try (RedisServer server = RedisServer.start()) {
                assertThatThrownBy(server::restartEmpty).hasMessageContaining("is STARTED, not KILLED");
                server.kill();
                server.kill();
                assertThatThrownBy(server::pause).hasMessageContaining("is KILLED");
                assertThatThrownBy(server::resume).hasMessageContaining("is KILLED");
                assertThatThrownBy(server::pid).hasMessageContaining("is KILLED");
            }
        }
    }

    @Nested
    class Close {

        @ParameterizedTest
        @EnumSource(Condition.class)
        void leavesNeitherProcessNorFilesNorListener(Condition condition) throws IOException {
            RedisServer server = RedisServer.start();
            long pid = server.pid();
            Path directory = server.directory();
            assertThat(directory).isNotEmptyDirectory();
            condition.bringAbout(server);

            server.close();

            assertThat(ProcessHandle.of(pid)).isEmpty();
            assertThat(directory).doesNotExist();
            assertThatThrownBy(() -> RedisConnection.open(server)).isInstanceOf(ConnectException.class);
        }

        @Test
        void isFinal() {
            RedisServer server = RedisServer.start();
            server.close();
            server.close();
            assertThatThrownBy(server::pause).hasMessageContaining("is CLOSED");
            assertThatThrownBy(server::kill).hasMessageContaining("is CLOSED");
            assertThatThrownBy(server::restartEmpty).hasMessageContaining("is CLOSED, not KILLED");
        }

        @Test
        void stillWorksAfterASignalToTheWholeProcessGroup() throws IOException {
            RedisServer server = RedisServer.start();
            Path directory = server.directory();
            ProcessHandle guard =
                    ProcessHandle.of(server.pid()).orElseThrow().parent().orElseThrow();

            guard.destroy();

            assertThat(RedisConnection.ask(server, "PING")).isEqualTo("+PONG");
            server.close();
            assertThat(directory).doesNotExist();
        }
    }

    @Nested
    class TheEndOfTheJvm {

        @TempDir
        private Path temporary;

        @ParameterizedTest
        @ValueSource(strings = {"running", "paused"})
        void leavesNothingWhenKilled(String server) throws IOException {
            leavesNothing(server, ChildJvm::kill);
        }

        @ParameterizedTest
        @ValueSource(strings = {"running", "paused"})
        void leavesNothingWhenOrderly(String server) throws IOException {
            leavesNothing(server, ChildJvm::letEnd);
        }

        private void leavesNothing(String server, Ending ending) throws IOException {
            try (ChildJvm jvm = ChildJvm.start(server, List.of("-Djava.io.tmpdir=" + temporary), Map.of())) {
                long pid = Long.parseLong(jvm.printedLine());
                assertThat(ProcessState.of(pid))
                        .isEqualTo(server.equals("paused") ? ProcessState.STOPPED : ProcessState.RUNNING);
                assertThat(names(temporary)).hasSize(2);

                ending.of(jvm);

                assertThat(Await.within(LIMIT, () -> ProcessState.of(pid) == ProcessState.ENDED))
                        .as("redis-server %d ended", pid)
                        .isTrue();
                Await.within(LIMIT, () -> names(temporary).isEmpty());
                assertThat(names(temporary)).isEmpty();
            }
        }

        @Test
        void isNotNeededAfterAFailedStart() throws IOException {
            try (ChildJvm jvm = ChildJvm.start("broken", List.of("-Djava.io.tmpdir=" + temporary), Map.of())) {
                assertThat(jvm.printedLine()).isEqualTo("refused");
                assertThat(names(temporary)).singleElement().asString().contains("binary");
            }
        }
    }

    @Nested
    class Settings {

        private static final String URL = "redis://:secret@redis.example:6379/3";

        @Test
        void chooseAnExternalServer() {
            System.setProperty(URL_PROPERTY, URL);
            try (LockServer server = RedisServer.forTests()) {
                assertThat(server).isNotInstanceOf(RedisServer.class);
                assertThat(server.url()).isEqualTo(URL);
            }
        }

        @Test
        void chooseAnExternalServerByTheEnvironment() throws IOException {
            assertThat(urlInChild(List.of(), Map.of("POLYLOCK_REDIS_URL", URL))).isEqualTo(URL);
        }

        @Test
        void arePropertiesFirst() throws IOException {
            String other = "rediss://other.example";
            assertThat(urlInChild(List.of("-D" + URL_PROPERTY + "=" + other), Map.of("POLYLOCK_REDIS_URL", URL)))
                    .isEqualTo(other);
        }

        @Test
        void startAServerWhenBlank() throws IOException {
            assertThat(urlInChild(List.of("-D" + URL_PROPERTY + "="), Map.of("POLYLOCK_REDIS_URL", " ")))
                    .startsWith("redis://127.0.0.1:");
        }

        @Test
        void areRefusedWithoutShowingThePassword() {
            System.setProperty(URL_PROPERTY, "http://:secret@redis.example");
            assertThatThrownBy(RedisServer::forTests)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll("POLYLOCK_REDIS_URL", URL_PROPERTY)
                    .hasMessageNotContaining("secret");
        }

        @Test
        void chooseAnotherBinary(@TempDir Path directory) throws IOException {
            Path started = directory.resolve("started");
            Path binary = Files.writeString(
                    directory.resolve("my redis"),
                    "#!/bin/sh\ntouch '%s'\nexec '%s' \"$@\"\n".formatted(started, RedisBinary.command()));
            Files.setPosixFilePermissions(binary, PosixFilePermissions.fromString("rwx------"));
            System.setProperty(BINARY_PROPERTY, binary.toString());

            try (RedisServer server = RedisServer.start()) {
                assertThat(started).exists();
                assertThat(RedisConnection.ask(server, "PING")).isEqualTo("+PONG");
            }
        }

        @Test
        void nameTheBinaryThatIsMissing() {
            System.setProperty(BINARY_PROPERTY, "no-such-redis-server");
            assertThatThrownBy(RedisServer::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("no-such-redis-server", "ended before it was ready");
        }

        private static String urlInChild(List<String> jvmOptions, Map<String, String> environment) throws IOException {
            try (ChildJvm jvm = ChildJvm.start("url", jvmOptions, environment)) {
                return jvm.printedLine();
            }
        }
    }

    /** What may have become of a server before somebody kills or closes it. */
    private enum Condition {
        RUNNING,
        PAUSED,
        CRASHED;

        void bringAbout(RedisServer server) {
            switch (this) {
                case RUNNING -> {}
                case PAUSED -> server.pause();
                case CRASHED -> crash(server);
            }
        }
    }

    private interface Ending {
        void of(ChildJvm jvm) throws IOException;
    }

    private static void crash(RedisServer server) {
        long pid = server.pid();
        ProcessHandle.of(pid).orElseThrow().destroyForcibly();
        assertThat(Await.within(LIMIT, () -> ProcessState.of(pid) == ProcessState.ENDED))
                .isTrue();
    }

    private static List<String> names(Path directory) {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(entry -> entry.getFileName().toString()).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
