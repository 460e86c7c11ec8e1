// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Something that is no Redis: whatever it is sent, it answers the same. */
final class FakeServer implements AutoCloseable {

    private final ServerSocket socket;
    private final String answer;
    private final long pauseMillis;

    private FakeServer(String answer, long pauseMillis) {
        try {
            this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.answer = answer;
        this.pauseMillis = pauseMillis;
    }

    /** Answers at once. */
    static FakeServer thatSays(String answer) {
        return new FakeServer(answer, 0).start();
    }

    /** Sends the answer one byte at a time, so that a timeout of each read is never reached. */
    static FakeServer thatDrips(String answer, long pauseMillis) {
        return new FakeServer(answer, pauseMillis).start();
    }

    String url(String userInfo) {
        return "redis://" + userInfo + "127.0.0.1:" + socket.getLocalPort();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private FakeServer start() {
        daemon(() -> {
            while (true) {
                Socket client = socket.accept();
                daemon(() -> serve(client));
            }
        });
        return this;
    }

    private void serve(Socket client) throws IOException {
        try (client) {
            InputStream in = client.getInputStream();
            byte[] request = new byte[8_192];
            while (in.read(request) > 0) {
                for (byte each : answer.getBytes(US_ASCII)) {
                    client.getOutputStream().write(each);
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pauseMillis));
                }
            }
        }
    }

    private interface Task {
        void run() throws IOException;
    }

    private static void daemon(Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException e) {
                        // the other side, or the test, has ended it
                    }
                },
                "fake-server");
        thread.setDaemon(true);
        thread.start();
    }
}
