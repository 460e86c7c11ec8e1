// SPDX-License-Identifier: Apache-2.0
package io.polylock.explore;

/** A small case, of which an exploration runs all orders. */
@FunctionalInterface
interface Scenario {

    /** Sets everything up for one run. Must do the same each time. */
    void arrange(Scene scene) throws InterruptedException;
}
