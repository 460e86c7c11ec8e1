// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import io.polylock.Lease;
import io.polylock.LockBackendException;
import io.polylock.LockManager;
import io.polylock.ManagerOptions;
import io.polylock.servers.RedisServer;
import io.polylock.spi.BackendUrl;
import java.io.IOException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs the demo on a Redis of its own or on the user's. */
@Command(
        name = "demo",
        description = {
            "Shows with real processes and a real Redis why a distributed lock needs owners, expiry, honest loss and"
                    + " fencing tokens.",
            "",
            "Worker processes want one lock. Whoever holds it reads a number from a file, thinks, and writes the next"
                    + " one. One worker is killed while it holds the lock; one is stopped for longer than the lock's TTL"
                    + " and then goes on. At the end the workers' own records and the number in the file are checked."
        },
        footerHeading = "%n",
        footer = {
            "Nothing is left behind: the Redis that it starts and all workers end with it, also after Ctrl-C.",
            "",
            "Exit code: 0 if everything went as it should, that is without overlaps and with both accidents, or with"
                    + " --break, if overlaps were shown; 1 if not, or if the store cannot be reached; 2 if it was called"
                    + " in a wrong way."
        },
        mixinStandardHelpOptions = true)
final class DemoCommand implements Callable<Integer> {

    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(3);

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--break",
            description = "Use a lock that ignores owners: a late holder's release frees its successor's lock. Shows"
                    + " overlaps and lost updates.")
    private boolean broken;

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "Run on this store, such as redis://localhost:6379, and start none. One key, named"
                    + " polylock-demo/..., is used, and gone at the latest an hour later.")
    private Optional<String> url = Optional.empty();

    @Option(
            names = "--workers",
            paramLabel = "N",
            defaultValue = "5",
            description = "How many want the lock: 4 to 20, 5 by default.")
    private int workers;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "12",
            description = "How long they work, about: 5 to 600, 12 by default. The accidents come on top.")
    private int seconds;

    @Override
    public Integer call() throws IOException, InterruptedException {
        require("--workers", workers, DemoPlan.FEWEST_WORKERS, DemoPlan.MOST_WORKERS);
        require("--seconds", seconds, DemoPlan.SHORTEST_SECONDS, DemoPlan.LONGEST_SECONDS);
        Logger.getLogger("").setLevel(Level.OFF); // what matters is said by us
        if (url.isPresent()) {
            return runOn(url.get(), "yours");
        }
        try (RedisServer redis = startRedis()) {
            return runOn(redis.url(), "its own");
        }
    }

    private int runOn(String store, String whose) throws IOException, InterruptedException {
        Owners owners = broken ? Owners.IGNORED : Owners.COMPARED;
        String lockName = "polylock-demo/"
                + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
        DemoPlan plan = new DemoPlan(store, lockName, workers, Duration.ofSeconds(seconds), owners);
        checkStore(plan);
        Screen screen = new Screen(System.out, Terminal.ansi());
        introduce(screen, plan, whose);
        DemoFiles files = DemoFiles.create();
        try (Demo demo = new Demo(plan, files, screen)) {
            endWithTheJvm(demo, files);
            Verdict verdict = demo.run();
            new Report(screen).print(verdict);
            return verdict.exitCode();
        } finally {
            files.delete();
        }
    }

    /** For Ctrl-C. */
    private static void endWithTheJvm(Demo demo, DemoFiles files) {
        Runnable end = () -> {
            demo.endAll();
            files.delete();
        };
        Runtime.getRuntime().addShutdownHook(new Thread(end, "polylock-demo-end"));
    }

    private static void introduce(Screen screen, DemoPlan plan, String whose) {
        screen.line("@|bold " + plan.workers() + " worker processes want one lock|@ on "
                + BackendUrl.parse(plan.url()) + " (" + whose + "), TTL " + DemoPlan.TTL.toSeconds()
                + " s, renewed while its holder lives.");
        screen.line("Whoever holds it reads a number from a file, thinks, and writes the next one."
                + (plan.owners() == Owners.IGNORED
                        ? "\n@|bold,red --break:|@ this lock ignores owners: whoever releases frees it, and every renewal says held, whoever holds it."
                        : ""));
        screen.line("");
    }

    /** Fails here, with one sentence, rather than in every worker. */
    private void checkStore(DemoPlan plan) throws InterruptedException {
        ManagerOptions options =
                ManagerOptions.DEFAULTS.withAnswerWithin(ANSWER_WITHIN).withCloseGrace(Duration.ZERO);
        try (LockManager locks = open(plan, options)) {
            BackendUrl parsed = BackendUrl.parse(plan.url());
            if (parsed.scheme().equals("memory")) {
                throw usage(
                        "a memory: store is inside one process; the workers of the demo are processes of their own");
            }
            locks.lock(plan.lockName()).tryAcquire().ifPresent(Lease::release);
        } catch (LockBackendException e) {
            throw new DemoFailure("cannot use " + BackendUrl.parse(plan.url()) + ": " + e.getMessage(), e);
        }
    }

    private LockManager open(DemoPlan plan, ManagerOptions options) {
        try {
            return plan.owners().open(plan.url(), options);
        } catch (IllegalArgumentException e) {
            throw usage(e.getMessage());
        }
    }

    private static RedisServer startRedis() {
        try {
            return RedisServer.start();
        } catch (IllegalStateException e) {
            throw new DemoFailure(e.getMessage() + " (with --url the demo runs on a Redis that you have)", e);
        }
    }

    private void require(String option, int value, int least, int most) {
        if (value < least || value > most) {
            throw usage(option + " must be " + least + " to " + most + " but was " + value);
        }
    }

    private ParameterException usage(@Nullable String message) {
        CommandSpec known = Objects.requireNonNull(spec);
        CommandLine line = known.commandLine();
        return new ParameterException(line, String.valueOf(message));
    }
}
