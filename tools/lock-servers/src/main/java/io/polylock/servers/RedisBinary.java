// SPDX-License-Identifier: Apache-2.0
package io.polylock.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The redis-server executable: the one that the machine names, or else one out of the embedded-redis artifact. */
final class RedisBinary {

    private static final String RESOURCE_PREFIX = "redis-server-7.0.15-";

    private static final String REMOVE_WITH_THE_JVM =
            """
            cat >/dev/null
            rm -rf "$1"
            """;

    // Once per JVM, on first use. No class initialiser: its failure would be reported once, and hidden afterwards.
    private static Optional<Path> extracted = Optional.empty();

    private RedisBinary() {}

    /** The command to run, a path or a name on the PATH. */
    static String command() {
        return Setting.REDIS_BINARY.value().orElseGet(RedisBinary::bundled);
    }

    /** The name of the class-path resource with the binary for this platform, named as in os.name and os.arch. */
    static String resourceFor(String osName, String osArch) {
        String os = osName.toLowerCase(Locale.ROOT);
        String arch =
                switch (osArch.toLowerCase(Locale.ROOT)) {
                    case "amd64", "x86_64" -> "amd64";
                    case "aarch64", "arm64" -> "arm64";
                    case "x86", "i386", "i686" -> "386";
                    default -> throw unsupported(osName, osArch);
                };
        if (os.equals("linux")) {
            return RESOURCE_PREFIX + "linux-" + arch;
        }
        if (os.startsWith("mac") && !arch.equals("386")) {
            return RESOURCE_PREFIX + "darwin-" + arch;
        }
        throw unsupported(osName, osArch);
    }

    private static IllegalStateException unsupported(String osName, String osArch) {
        return new IllegalStateException("No redis-server binary is bundled for " + osName + " on " + osArch
                + ". Either start a Redis server and set " + Setting.REDIS_URL
                + " to its URL, or install redis-server and set " + Setting.REDIS_BINARY
                + " to its path, or to its name if it is on the PATH.");
    }

    private static synchronized String bundled() {
        Path binary = extracted.orElseGet(RedisBinary::extract);
        extracted = Optional.of(binary);
        return binary.toString();
    }

    private static Path extract() {
        String resource = resourceFor(System.getProperty("os.name"), System.getProperty("os.arch"));
        // By the class loader: Class.getResourceAsStream would search this module only.
        try (InputStream in = RedisBinary.class.getClassLoader().getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException(resource + " is not on the class path: embedded-redis is missing there,"
                        + " or has a version with other binaries");
            }
            Path directory = Files.createTempDirectory("polylock-redis-binary-");
            Guard.start(REMOVE_WITH_THE_JVM, List.of(directory.toString()));
            Path binary = directory.resolve("redis-server");
            Files.copy(in, binary);
            return Files.setPosixFilePermissions(binary, PosixFilePermissions.fromString("r-x------"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
