// SPDX-License-Identifier: Apache-2.0
package io.polylock.explore;

import java.time.Duration;

/**
 * How much may go wrong in one schedule. Within these bounds an exploration is complete.
 *
 * @param preemptions how often a thread may lose the processor between two steps of its own computing. Where it waits for the
 *     network, for others or for its user, others may go on for free
 * @param slow how often time may pass although somebody could go on
 * @param faults how many requests may go astray or be refused
 * @param patience how long a step may take in real time
 */
record Bounds(int preemptions, int slow, int faults, Duration patience) {

    /** Any number of preemptions; nobody is slow and nothing fails. */
    static final Bounds ALL_ORDERS = new Bounds(Integer.MAX_VALUE, 0, 0, Duration.ofSeconds(10));

    Bounds withPreemptions(int most) {
        return new Bounds(most, slow, faults, patience);
    }

    Bounds withSlow(int most) {
        return new Bounds(preemptions, most, faults, patience);
    }

    Bounds withFaults(int most) {
        return new Bounds(preemptions, slow, most, patience);
    }

    Bounds withPatience(Duration longest) {
        return new Bounds(preemptions, slow, faults, longest);
    }

    /** Whether orders may be left out that differ from another one in nothing that matters: the other may cost more. */
    boolean allOrders() {
        return preemptions == Integer.MAX_VALUE;
    }

    @Override
    public String toString() {
        return (allOrders() ? "all orders" : preemptions + " preemptions") + ", slow " + slow + ", faults " + faults;
    }
}
