// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.OptionalLong;

/** A file of entries that takes none with an older fencing token than the newest that it has seen. */
final class FencedLedger {

    private final Path file;

    FencedLedger(Path file) {
        this.file = file;
    }

    /** Adds an entry, or changes nothing and says which newer token it has seen. */
    OptionalLong append(long token, String entry) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            channel.lock(); // the ledger's own order: a check and an entry are one step; ends with the channel
            ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(channel.size()));
            while (all.hasRemaining() && channel.read(all) >= 0) {
                // reads on
            }
            long newest = newest(UTF_8.decode(all.flip()).toString());
            if (token < newest) {
                return OptionalLong.of(newest);
            }
            ByteBuffer line = UTF_8.encode(token + " " + entry + "\n");
            channel.position(channel.size());
            while (line.hasRemaining()) {
                channel.write(line);
            }
            return OptionalLong.empty();
        }
    }

    private static long newest(String entries) {
        return entries.lines()
                .mapToLong(line -> Long.parseLong(line.substring(0, line.indexOf(' '))))
                .max()
                .orElse(0);
    }
}
