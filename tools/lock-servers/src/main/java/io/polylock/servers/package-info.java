// SPDX-License-Identifier: Apache-2.0

/** Servers that belong to this JVM: started in milliseconds, broken on purpose, gone when the JVM is. */
@NullMarked
package io.polylock.servers;

import org.jspecify.annotations.NullMarked;
