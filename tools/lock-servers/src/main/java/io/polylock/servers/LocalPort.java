// SPDX-License-Identifier: Apache-2.0
package io.polylock.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;

/** A port of the IPv4 loopback interface, whatever the JVM's preferences make of "loopback". */
final class LocalPort {

    static final String HOST = "127.0.0.1";

    private LocalPort() {}

    /** A port that is free, and may be taken by anybody from now on. */
    static int findFree() {
        try (ServerSocket probe = new ServerSocket()) {
            probe.bind(address(0));
            return probe.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static InetSocketAddress address(int port) throws UnknownHostException {
        return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
    }
}
