// SPDX-License-Identifier: Apache-2.0
package io.polylock.servers;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the operating system says a process is doing. Java knows only whether it is there. */
enum ProcessState {
    RUNNING,
    STOPPED,
    /** Without such a process, or with no more than its exit code left to collect. */
    ENDED;

    private static final Path PROC = Path.of("/proc");

    static ProcessState of(long pid) {
        try {
            return Files.exists(PROC.resolve("self/stat")) ? fromProc(pid) : fromPs(pid);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ProcessState fromProc(long pid) throws IOException {
        Path process = PROC.resolve(Long.toString(pid));
        try {
            String stat = Files.readString(process.resolve("stat"));
            // The state follows the command's name, which stands in brackets and may hold some itself.
            return fromLetter(stat.substring(stat.lastIndexOf(')') + 2));
        } catch (IOException e) {
            // A process that ends between open and read fails the read ("No such process"), not the open.
            if (Files.notExists(process)) {
                return ENDED;
            }
            throw e;
        }
    }

    private static ProcessState fromPs(long pid) throws IOException {
        Process ps = new ProcessBuilder("ps", "-o", "state=", "-p", Long.toString(pid)).start();
        return fromLetter(new String(ps.getInputStream().readAllBytes(), US_ASCII));
    }

    private static ProcessState fromLetter(String text) {
        if (text.isBlank()) {
            return ENDED;
        }
        return switch (text.strip().charAt(0)) {
            case 'T' -> STOPPED;
            case 'Z', 'X' -> ENDED;
            default -> RUNNING;
        };
    }
}
