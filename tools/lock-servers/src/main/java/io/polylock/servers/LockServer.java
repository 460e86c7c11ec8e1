// SPDX-License-Identifier: Apache-2.0
package io.polylock.servers;

/**
 * A server that locks can be kept on. It can be reached and no more: a server that this JVM started, and may therefore
 * break, is a {@link RedisServer}.
 */
public sealed interface LockServer extends AutoCloseable permits RedisServer, ExternalServer {

    /** The address for clients, with the password where there is one. */
    String url();

    /** Ends a server that this JVM started, and leaves any other alone. */
    @Override
    void close();
}
