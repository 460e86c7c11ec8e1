// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck.search;

import io.polylock.spi.Vote;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What the client of a quorum makes of the answers of its nodes: pure functions, without waiting or I/O. */
interface Decision {

    /**
     * What to confirm, once the client stops listening to phase 1.
     *
     * @param answers one per node: empty if it has not arrived
     * @return empty if these answers are not enough
     */
    Optional<Plan> plan(List<Optional<Vote.Join>> answers);

    /**
     * Whether the attempt has succeeded.
     *
     * @param plan what was to be confirmed
     * @param answers one per node: empty if it has not arrived
     */
    boolean granted(Plan plan, List<Optional<Vote.Confirmation>> answers);

    /** How far the clocks of the nodes may be apart. */
    Duration maxSkew();

    /**
     * Phase 2.
     *
     * @param token the number that every node is to confirm
     * @param targets one per node: the incarnation on which the number is to be stored, empty if the node is not asked
     */
    record Plan(long token, List<Optional<String>> targets) {}
}
