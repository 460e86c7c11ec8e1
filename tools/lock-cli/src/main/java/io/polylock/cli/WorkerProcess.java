// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A worker in a process of its own. It ends by itself if we do, for then its input ends. Thread-safe. */
final class WorkerProcess {

    /**
     * What came from a worker.
     *
     * @param worker its number
     * @param event what it told; empty if its output ended, and it with it
     */
    record Heard(int worker, Optional<WorkerEvent> event) {}

    private final int number;
    private final Process process;

    private WorkerProcess(int number, Process process) {
        this.number = number;
        this.process = process;
    }

    /** Starts a worker on the Java and the class path that we run on ourselves. */
    static WorkerProcess start(int number, DemoPlan plan, DemoFiles files, Consumer<Heard> listener)
            throws IOException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx64m",
                Main.class.getName(),
                "worker",
                "--number=" + number,
                "--lock=" + plan.lockName(),
                "--directory=" + files.directory(),
                "--ttl-millis=" + DemoPlan.TTL.toMillis(),
                "--thinking-millis=" + plan.thinking().toMillis(),
                "--owners=" + plan.owners());
        Process process = new ProcessBuilder(command)
                .redirectError(files.log(number).toFile())
                .start();
        WorkerProcess worker = new WorkerProcess(number, process);
        Thread reader = new Thread(() -> worker.read(listener), "polylock-demo-worker-" + number);
        reader.setDaemon(true);
        reader.start();
        worker.send(plan.url());
        return worker;
    }

    int number() {
        return number;
    }

    long pid() {
        return process.pid();
    }

    /** Sends a line; does nothing if the worker is gone. */
    void send(String line) {
        try {
            OutputStream input = process.getOutputStream();
            input.write((line + "\n").getBytes(UTF_8));
            input.flush();
        } catch (IOException gone) {
            // shows as the end of its output
        }
    }

    /** Ends it at once (SIGKILL), also if it is stopped. A second call does nothing. */
    void kill() {
        process.destroyForcibly();
    }

    /** Whether it has ended, at the latest after this time. */
    boolean endsWithin(Duration limit) throws InterruptedException {
        return process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void read(Consumer<Heard> listener) {
        try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                WorkerEvent.parse(line).ifPresent(event -> listener.accept(new Heard(number, Optional.of(event))));
            }
        } catch (IOException ended) {
            // as below
        }
        listener.accept(new Heard(number, Optional.empty()));
    }
}
