// SPDX-License-Identifier: Apache-2.0
/** The polylock command. */
@NullMarked
package io.polylock.cli;

import org.jspecify.annotations.NullMarked;
