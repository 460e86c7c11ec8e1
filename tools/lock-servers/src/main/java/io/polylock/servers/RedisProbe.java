// SPDX-License-Identifier: Apache-2.0
package io.polylock.servers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.Optional;
import java.util.OptionalLong;

/** One question to whatever listens on a local port, answered within a bound: which Redis process are you? */
final class RedisProbe {

    private static final int TIMEOUT_MILLIS = 500;
    private static final String ANSWER = "process_id:";

    private RedisProbe() {}

    /**
     * The pid in the answer; empty without one. A mere PING would be answered by a stranger's Redis, too, if that was
     * quicker to take the port.
     */
    static OptionalLong processId(int port, Optional<String> password) {
        // QUIT makes the server end the conversation, also after an error: nothing of the protocol needs parsing.
        String question = password.map(secret -> command("AUTH", secret)).orElse("")
                + command("INFO", "server")
                + command("QUIT");
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.connect(LocalPort.address(port), TIMEOUT_MILLIS);
            socket.getOutputStream().write(question.getBytes(UTF_8));
            return new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))
                    .lines()
                    .filter(line -> line.startsWith(ANSWER))
                    .mapToLong(line -> Long.parseLong(line.substring(ANSWER.length())))
                    .findFirst();
        } catch (IOException | UncheckedIOException unanswered) {
            return OptionalLong.empty();
        }
    }

    private static String command(String... words) {
        StringBuilder request = new StringBuilder("*" + words.length + "\r\n");
        for (String word : words) {
            request.append('$')
                    .append(word.getBytes(UTF_8).length)
                    .append("\r\n")
                    .append(word)
                    .append("\r\n");
        }
        return request.toString();
    }
}
