// SPDX-License-Identifier: Apache-2.0
/** The engine: waiting, renewal, loss and undo. Not exported. */
@NullMarked
package io.polylock.internal;

import org.jspecify.annotations.NullMarked;
