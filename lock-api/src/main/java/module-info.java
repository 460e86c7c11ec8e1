// SPDX-License-Identifier: Apache-2.0
/** The locks that applications use, the SPI that backends implement, and the one engine between them. JDK only. */
module io.polylock {
    requires static jdk.jfr;
    requires static org.jspecify;

    exports io.polylock;
    exports io.polylock.memory;
    exports io.polylock.spi;

    uses io.polylock.spi.LockBackendFactory;

    provides io.polylock.spi.LockBackendFactory with
            io.polylock.memory.MemoryLockBackendFactory;
}
