// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;

/**
 * A socket with a deadline for a whole exchange. A timeout bounds one read only; a handshake or a reply of many reads would
 * take a multiple of it.
 */
final class DeadlineSocket extends Socket {

    private volatile Deadline deadline;

    private DeadlineSocket(Deadline deadline) {
        this.deadline = deadline;
    }

    /** Connects to the first address of a host that accepts in time. */
    static DeadlineSocket connect(String host, int port, Deadline deadline) throws IOException {
        InetAddress[] addresses = InetAddress.getAllByName(host);
        IOException failure = new IOException("no address");
        for (int i = 0; i < addresses.length; i++) {
            DeadlineSocket socket = new DeadlineSocket(deadline);
            try {
                socket.setTcpNoDelay(true);
                socket.setKeepAlive(true);
                socket.connect(
                        new InetSocketAddress(addresses[i], port),
                        requirePositive(deadline.leftMillis() / (addresses.length - i)));
                return socket;
            } catch (IOException e) {
                socket.close();
                failure = e;
            }
        }
        throw failure;
    }

    void endBy(Deadline newDeadline) {
        deadline = newDeadline;
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return new FilterInputStream(super.getInputStream()) {

            @Override
            public int read() throws IOException {
                setSoTimeout(requirePositive(deadline.leftMillis()));
                return in.read();
            }

            @Override
            public int read(byte[] buffer, int offset, int length) throws IOException {
                setSoTimeout(requirePositive(deadline.leftMillis()));
                return in.read(buffer, offset, length);
            }
        };
    }

    private static int requirePositive(int millis) throws SocketTimeoutException {
        if (millis <= 0) {
            throw new SocketTimeoutException("time is up");
        }
        return millis;
    }
}
