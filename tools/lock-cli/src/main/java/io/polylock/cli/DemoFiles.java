// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Where the demo keeps its files: a directory of its own. */
final class DemoFiles {

    private static final String PREFIX = "polylock-demo";

    private final Path directory;

    private DemoFiles(Path directory) {
        this.directory = directory;
    }

    static DemoFiles create() throws IOException {
        return new DemoFiles(Files.createTempDirectory(PREFIX));
    }

    /** The files of a demo that runs, or ran. */
    static DemoFiles in(Path directory) {
        if (!String.valueOf(directory.getFileName()).startsWith(PREFIX)) {
            throw new IllegalArgumentException("not a directory of the demo, which would delete it: " + directory);
        }
        return new DemoFiles(directory);
    }

    static Path counter(Path directory) {
        return directory.resolve("counter");
    }

    static Path ledger(Path directory) {
        return directory.resolve("ledger");
    }

    Path directory() {
        return directory;
    }

    /** What a worker says outside of its events; read when it ends before its time. */
    Path log(int worker) {
        return directory.resolve("worker-" + worker + ".log");
    }

    /** Removes all of it, as far as it is still there. */
    void delete() {
        List<Path> paths;
        try (Stream<Path> found = Files.walk(directory)) {
            paths = found.sorted(Comparator.reverseOrder()).toList();
        } catch (IOException | UncheckedIOException goneAlready) {
            return;
        }
        for (Path path : paths) {
            try {
                Files.deleteIfExists(path);
            } catch (IOException stays) {
                // a file of a few bytes in the temporary directory
            }
        }
    }
}
