// SPDX-License-Identifier: Apache-2.0
/** Locks on one Redis. Start at {@link io.polylock.redis.RedisLockBackend}. */
@NullMarked
package io.polylock.redis;

import org.jspecify.annotations.NullMarked;
