// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** The library's one logger. A handler of the application that throws must not keep us from our work. */
final class Log {

    private static final Logger LOG = System.getLogger("io.polylock");

    private Log() {}

    static void quietly(Level level, String message) {
        try {
            LOG.log(level, message);
        } catch (RuntimeException ignored) {
            // the application's logging is broken, its locks are not
        }
    }

    static void quietly(Level level, String message, Throwable cause) {
        try {
            LOG.log(level, message, cause);
        } catch (RuntimeException ignored) {
            // as above
        }
    }
}
