// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Work that an interrupt must not cut short. */
final class Interrupts {

    private Interrupts() {}

    /**
     * Runs work with the interrupt flag cleared and sets it again afterwards, also if an interrupt arrives meanwhile.
     * An {@link InterruptedException} ends the work.
     */
    static <T extends @Nullable Object> @Nullable T shield(Callable<T> work) {
        boolean interrupted = Thread.interrupted();
        try {
            return work.call();
        } catch (InterruptedException e) {
            interrupted = true;
            return null;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
