// SPDX-License-Identifier: Apache-2.0
/** The test kit. Start at {@link io.polylock.tck.LockBackendTck}. */
@NullMarked
package io.polylock.tck;

import org.jspecify.annotations.NullMarked;
