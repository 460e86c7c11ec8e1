// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

/** Where connections to one Redis come from, and where they go back to. Thread-safe. */
interface Connections extends AutoCloseable {

    /**
     * A connection that is ready for a request.
     *
     * @throws io.polylock.LockBackendException if there was none in time, or the server refused us; nothing was sent
     */
    Wire take(Deadline deadline);

    /** Takes back a connection that has answered all that it was asked. */
    void giveBack(Wire wire);

    /** Ends a connection in an unknown state, without waiting for the server. */
    void discard(Wire wire);

    /** Ends the connections that are idle: they are as stale as one that has just failed. */
    void discardIdle();

    /** Where the server is, as far as it is known. */
    String place();

    @Override
    void close();
}
