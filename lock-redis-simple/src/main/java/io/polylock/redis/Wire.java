// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import redis.clients.jedis.Connection;

/** A connection that one request has for itself. */
interface Wire {

    Connection connection();

    /** Makes every read from now on end at the deadline. */
    void endBy(Deadline deadline);
}
