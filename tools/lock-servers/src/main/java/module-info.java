// SPDX-License-Identifier: Apache-2.0

/** Real Redis servers for tests, demo and benchmarks, with faults on demand. Nothing that is released depends on it. */
module io.polylock.servers {
    // carries the redis-server binaries as resources; none of its classes is used
    requires embedded.redis;
    requires static org.jspecify;

    exports io.polylock.servers;
}
