// SPDX-License-Identifier: Apache-2.0
/** What an application uses. Start at {@link io.polylock.LockManager}. */
@NullMarked
package io.polylock;

import org.jspecify.annotations.NullMarked;
