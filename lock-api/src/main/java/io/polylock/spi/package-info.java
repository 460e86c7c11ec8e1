// SPDX-License-Identifier: Apache-2.0
/** What an author of a backend implements. Start at {@link io.polylock.spi.LockBackend}. */
@NullMarked
package io.polylock.spi;

import org.jspecify.annotations.NullMarked;
