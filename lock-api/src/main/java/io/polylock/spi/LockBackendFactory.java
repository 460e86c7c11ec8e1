// SPDX-License-Identifier: Apache-2.0
package io.polylock.spi;

import java.util.Set;

/** How a URL becomes a backend. Found by {@link java.util.ServiceLoader}; needs a public constructor without parameters. */
public interface LockBackendFactory {

    /** The URL schemes that this factory opens, in lower case. Two factories for one scheme are refused. */
    Set<String> schemes();

    /**
     * Makes a backend. Checks the whole URL and does no I/O: the first request connects.
     *
     * @param url what to open
     * @return a backend that owns its client
     * @throws IllegalArgumentException if the URL is wrong; the message says what is known, and shows no password
     */
    LockBackend open(BackendUrl url);
}
