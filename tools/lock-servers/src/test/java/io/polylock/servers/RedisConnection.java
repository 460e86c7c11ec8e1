// SPDX-License-Identifier: Apache-2.0
package io.polylock.servers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** A connection that sends plain lines and reads one-line answers, which Redis allows. */
final class RedisConnection implements AutoCloseable {

    private final Socket socket;
    private final BufferedReader input;

    private RedisConnection(Socket socket) throws IOException {
        this.socket = socket;
        this.input = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
    }

    static RedisConnection open(RedisServer server) throws IOException {
        RedisConnection connection = new RedisConnection(new Socket(server.host(), server.port()));
        connection.waitAtMostMillis(10_000);
        return connection;
    }

    static String ask(RedisServer server, String command) throws IOException {
        try (RedisConnection connection = open(server)) {
            connection.send(command);
            return connection.answer();
        }
    }

    void waitAtMostMillis(int millis) throws IOException {
        socket.setSoTimeout(millis);
    }

    void send(String command) throws IOException {
        socket.getOutputStream().write((command + "\r\n").getBytes(UTF_8));
    }

    String answer() throws IOException {
        return input.readLine();
    }

    List<String> answers(int lines) throws IOException {
        List<String> answers = new ArrayList<>();
        while (answers.size() < lines) {
            answers.add(answer());
        }
        return answers;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
