// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import java.time.Duration;

/**
 * What a harness can do to its store behind the backends' backs. Each method answers whether it did it; what it cannot do is
 * reported as not verified.
 */
public interface StoreFaults {

    /** Nothing. */
    StoreFaults NONE = new StoreFaults() {};

    /** Loses everything that the store remembers, as a restart without data does. */
    default Done restartEmpty() {
        return Done.CANNOT;
    }

    /**
     * Moves the store's clock.
     *
     * @param offset how far, forward or back
     */
    default Done moveClock(Duration offset) {
        return Done.CANNOT;
    }

    /** Makes the store stop answering: requests arrive, or wait on the way, and nothing comes back. */
    default Done hang() {
        return Done.CANNOT;
    }

    /** Ends {@link #hang}; what has arrived meanwhile is done. */
    default Done resume() {
        return Done.CANNOT;
    }

    /** Whether the harness did what was asked. */
    enum Done {
        /** It did. */
        DONE,
        /** It has no way to. */
        CANNOT
    }
}
