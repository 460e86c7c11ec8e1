// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A way to a Redis that writes down which requests clients send. */
final class CountingProxy implements AutoCloseable {

    private final ServerSocket listening;
    private final String host;
    private final int port;
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();

    CountingProxy(String host, int port) {
        this.host = host;
        this.port = port;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        start(this::accept);
    }

    String url() {
        return "redis://127.0.0.1:" + listening.getLocalPort();
    }

    /** The names of the commands that were sent, in order. */
    List<String> requests() {
        return List.copyOf(requests);
    }

    void forget() {
        requests.clear();
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket each : open) {
            each.close();
        }
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listening.accept();
            Socket server = new Socket(host, port);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            open.add(client);
            open.add(server);
            start(() -> forward(client, server));
            start(() -> {
                server.getInputStream().transferTo(client.getOutputStream());
                client.close();
            });
        }
    }

    /** Requests are arrays of strings with their lengths in front. */
    private void forward(Socket client, Socket server) throws IOException {
        InputStream in = new BufferedInputStream(client.getInputStream());
        OutputStream out = new BufferedOutputStream(server.getOutputStream());
        try (server) {
            while (true) {
                int parts = number('*', in, out);
                for (int i = 0; i < parts; i++) {
                    byte[] part = in.readNBytes(number('$', in, out) + 2);
                    out.write(part);
                    if (i == 0) {
                        requests.add(new String(part, ISO_8859_1).strip());
                    }
                }
                out.flush();
            }
        }
    }

    private static int number(char mark, InputStream in, OutputStream out) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException();
            }
            line.append((char) next);
        }
        out.write((line + "\n").getBytes(ISO_8859_1));
        if (line.charAt(0) != mark) {
            throw new IOException("not a request: " + line);
        }
        return Integer.parseInt(line.substring(1).strip());
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void start(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException ended) {
                        // by one side or the other
                    }
                },
                "counting-proxy");
        thread.setDaemon(true);
        thread.start();
    }
}
