// SPDX-License-Identifier: Apache-2.0
/** The backend inside the JVM: the executable specification, and the store for an application's own unit tests. */
@NullMarked
package io.polylock.memory;

import org.jspecify.annotations.NullMarked;
