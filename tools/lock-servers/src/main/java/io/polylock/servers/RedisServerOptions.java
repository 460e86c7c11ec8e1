// SPDX-License-Identifier: Apache-2.0
package io.polylock.servers;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What a {@link RedisServer} is started with, besides what every one is: on the loopback interface, without persistence.
 *
 * @param password what clients must send, and {@link RedisServer#url()} holds; not empty, no control characters
 * @param configLines lines in the syntax of {@code redis.conf}, such as {@code maxmemory 10mb}; they win over the
 *     defaults
 */
public record RedisServerOptions(Optional<String> password, List<String> configLines) {

    /** No password, no further lines. */
    public static final RedisServerOptions DEFAULTS = new RedisServerOptions(Optional.empty(), List.of());

    // The launcher would lose sight of a server on which one of these is changed behind its back.
    private static final Set<String> RESERVED =
            Set.of("bind", "daemonize", "dir", "include", "logfile", "port", "requirepass");

    public RedisServerOptions {
        configLines = List.copyOf(configLines);
        password.ifPresent(RedisServerOptions::checkPassword);
        configLines.forEach(RedisServerOptions::checkLine);
    }

    public RedisServerOptions withPassword(String newPassword) {
        return new RedisServerOptions(Optional.of(newPassword), configLines);
    }

    public RedisServerOptions withConfigLine(String line) {
        return new RedisServerOptions(
                password, Stream.concat(configLines.stream(), Stream.of(line)).toList());
    }

    private static void checkPassword(String password) {
        if (password.isEmpty() || hasControlCharacters(password)) {
            throw new IllegalArgumentException("password must be neither empty nor contain control characters");
        }
    }

    private static void checkLine(String line) {
        if (hasControlCharacters(line)) {
            throw new IllegalArgumentException("a config line must not contain control characters but was: " + line);
        }
        String directive = line.strip().split(" ", 2)[0].toLowerCase(Locale.ROOT);
        if (RESERVED.contains(directive)) {
            throw new IllegalArgumentException(
                    "a config line must not set " + directive + ", which is the launcher's, but was: " + line);
        }
    }

    private static boolean hasControlCharacters(String text) {
        return text.chars().anyMatch(Character::isISOControl);
    }
}
