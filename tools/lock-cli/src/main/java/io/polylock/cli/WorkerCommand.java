// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.polylock.LockManager;
import io.polylock.ManagerOptions;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** One worker process of the demo. The URL comes as the first line of its input, for process lists are public. */
@Command(name = "worker", hidden = true, description = "A worker of the demo; started by it.")
final class WorkerCommand implements Callable<Integer> {

    /** What the demo sends to end a worker in order. */
    static final String STOP = "stop";

    @Option(names = "--number", required = true)
    private int number;

    @Option(names = "--lock", required = true)
    private String lockName = "";

    @Option(names = "--directory", required = true)
    private Path directory = Path.of("");

    @Option(names = "--ttl-millis", required = true)
    private long ttlMillis;

    @Option(names = "--thinking-millis", required = true)
    private long thinkingMillis;

    @Option(names = "--owners", required = true)
    private Owners owners = Owners.COMPARED;

    @Override
    public Integer call() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        String url = in.readLine();
        if (url == null) {
            return ExitCode.FAILED;
        }
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, UTF_8);
        ManagerOptions options = ManagerOptions.DEFAULTS
                .withLabel("worker " + number + " of polylock demo")
                .withAnswerWithin(Duration.ofMillis(ttlMillis))
                .withCloseGrace(Duration.ZERO);
        try (LockManager locks = owners.open(url, options)) {
            Thread worker = Thread.currentThread();
            Thread listener = new Thread(() -> obey(in, worker), "polylock-demo-input");
            listener.setDaemon(true);
            listener.start();
            new Worker(
                            locks.lock(lockName)
                                    .withTtl(Duration.ofMillis(ttlMillis))
                                    .withMinValidity(Duration.ofMillis(ttlMillis / 2)),
                            new CounterFile(DemoFiles.counter(directory)),
                            new FencedLedger(DemoFiles.ledger(directory)),
                            Duration.ofMillis(thinkingMillis),
                            out)
                    .run();
        }
        return ExitCode.OK;
    }

    /** A word ends the worker in order; the end of the input means that the demo is gone, however it went. */
    private void obey(BufferedReader in, Thread worker) {
        try {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.equals(STOP)) {
                    worker.interrupt();
                }
            }
        } catch (IOException gone) {
            // the same as the end
        }
        DemoFiles.in(directory).delete(); // whoever is first; a demo that was killed could not
        Runtime.getRuntime().halt(ExitCode.FAILED);
    }
}
