// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A number in a file that nothing protects: two who read it at the same time lose an update. */
final class CounterFile {

    private final Path file;

    CounterFile(Path file) {
        this.file = file;
    }

    long read() throws IOException {
        return Files.exists(file) ? Long.parseLong(Files.readString(file, UTF_8).strip()) : 0;
    }

    /** Writes beside the file and moves, so that a reader never sees half a number. */
    void write(long value) throws IOException {
        Path fresh = Files.createTempFile(file.toAbsolutePath().getParent(), "counter", ".new");
        Files.writeString(fresh, value + "\n", UTF_8);
        Files.move(
                fresh,
                file,
                java.nio.file.StandardCopyOption.ATOMIC_MOVE,
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }
}
