// SPDX-License-Identifier: Apache-2.0
package io.polylock.servers;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Bounded polling that an interrupt does not cut short: half a start or half a kill would leave a process behind. */
final class Await {

    private static final long POLL_MILLIS = 1;

    private Await() {}

    /** Whether the condition became true within the limit. The interrupt flag is afterwards what it was, or set. */
    static boolean within(Duration limit, BooleanSupplier condition) {
        long startNanos = System.nanoTime();
        boolean interrupted = Thread.interrupted();
        try {
            while (!condition.getAsBoolean()) {
                if (System.nanoTime() - startNanos > limit.toNanos()) {
                    return false;
                }
                try {
                    TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
                } catch (InterruptedException remembered) {
                    interrupted = true;
                }
            }
            return true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
