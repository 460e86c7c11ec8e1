// SPDX-License-Identifier: Apache-2.0
package io.polylock.servers;

/** A server that somebody else started. */
record ExternalServer(String url) implements LockServer {

    ExternalServer {
        // The value stays out of the message: it may hold a password.
        if (!url.startsWith("redis://") && !url.startsWith("rediss://")) {
            throw new IllegalArgumentException(
                    Setting.REDIS_URL + " must be a URL that starts with redis:// or rediss://, but does not");
        }
    }

    @Override
    public void close() {}
}
