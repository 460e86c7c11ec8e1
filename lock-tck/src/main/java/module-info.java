// SPDX-License-Identifier: Apache-2.0
/** The rules that every lock backend must keep, as tests for anybody's backend. */
module io.polylock.tck {
    requires transitive io.polylock;
    requires static org.jspecify;
    requires transitive org.junit.jupiter.api;

    exports io.polylock.tck;

    opens io.polylock.tck;
}
