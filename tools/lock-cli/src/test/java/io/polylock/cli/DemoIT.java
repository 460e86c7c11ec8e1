// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class DemoIT {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    @TempDir
    private Path temporary;

    private final Set<ProcessHandle> seen = new HashSet<>();

    @Test
    void nobodyOverlapsThroughADeathAndASleepAndNothingIsLeft() throws Exception {
        Run run = run("demo", "--seconds=5");

        assertThat(run.exitCode()).as(run.text()).isEqualTo(ExitCode.OK);
        assertThat(run.text())
                .contains("is killed (SIGKILL) while it holds the lock", "is stopped (SIGSTOP) while it holds the lock")
                .contains("sees that its lease is not held and does not write the counter")
                .contains("is told that its lease is lost: ")
                .contains("says: LeaseLostException: ")
                .contains("tries the ledger all the same: refused")
                .containsPattern("total +[0-9]+ +[0-9.]+ s +1 +[1-9]")
                .contains("overlaps: 0 ", "lost updates: 0 ", "fencing tokens out of order: 0")
                .doesNotContain("OVERLAP", "\u001b");
        assertNothingIsLeft();
    }

    @Test
    void aLockThatIgnoresOwnersIsCaughtAndNothingIsLeft() throws Exception {
        Run run = run("demo", "--break", "--seconds=5");

        assertThat(run.exitCode()).as(run.text()).isEqualTo(ExitCode.OK);
        assertThat(run.text())
                .contains("OVERLAP: ", "This lock is broken, and it showed.")
                .doesNotContain("overlaps: 0 ");
        assertNothingIsLeft();
    }

    /** How the demo may be ended from outside. */
    private enum End {
        TERMINATED {
            @Override
            void befall(Process demo) {
                demo.destroy();
            }
        },
        KILLED {
            @Override
            void befall(Process demo) {
                demo.destroyForcibly();
            }
        };

        abstract void befall(Process demo);
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsLeftOfADemoThatEndsWhileAWorkerIsStopped(End end) throws Exception {
        Process demo = start("demo", "--seconds=5");
        try (BufferedReader out = new BufferedReader(new InputStreamReader(demo.getInputStream(), UTF_8))) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                if (line.contains("(SIGSTOP)")) {
                    look(demo);
                    break;
                }
            }
            end.befall(demo);
            assertThat(demo.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }

        assertThat(seen).as("workers, a server and what watches them").hasSizeGreaterThan(5);
        assertNothingIsLeft();
    }

    private record Run(int exitCode, String text) {}

    private Run run(String... arguments) throws IOException, InterruptedException {
        Process demo = start(arguments);
        List<String> lines = new ArrayList<>();
        try (BufferedReader out = new BufferedReader(new InputStreamReader(demo.getInputStream(), UTF_8))) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                lines.add(line);
                look(demo);
            }
        }
        assertThat(demo.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(seen).as("workers, a server and what watches them").hasSizeGreaterThan(5);
        return new Run(demo.exitValue(), String.join("\n", lines) + "\n");
    }

    private Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + temporary,
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private void look(Process demo) {
        demo.descendants().forEach(seen::add);
    }

    private void assertNothingIsLeft() throws Exception {
        for (ProcessHandle process : seen) {
            try {
                process.onExit().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            } catch (TimeoutException stays) {
                throw new AssertionError("still there: " + process.pid() + " " + process.info(), stays);
            }
        }
        try (Stream<Path> files = Files.list(temporary)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .noneMatch(name -> name.startsWith("polylock-demo"));
        }
    }
}
