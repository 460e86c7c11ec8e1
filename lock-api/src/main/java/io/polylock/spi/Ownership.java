// SPDX-License-Identifier: Apache-2.0
package io.polylock.spi;

/** What the store found when an owner wanted to renew or to release. */
public enum Ownership {
    /** The lock was this owner's, and what was asked is done. */
    HELD,
    /** Nobody holds the lock; nothing was changed. */
    ABSENT,
    /** Another owner holds the lock; nothing was changed. */
    OTHER_OWNER
}
