// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import java.lang.System.Logger;

/** The library's one logger. */
final class Log {

    static final Logger LOG = System.getLogger("io.polylock");

    private Log() {}
}
