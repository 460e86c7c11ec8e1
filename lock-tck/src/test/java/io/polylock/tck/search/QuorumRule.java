// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck.search;

import io.polylock.spi.Vote;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/** The decision of a quorum, with switches to drop single rules of it. */
record QuorumRule(int nodes, Duration maxTtl, Duration maxSkew, Set<Rule> dropped) implements Decision {

    /** In a plan: whatever the incarnation is. Only a client without {@link Rule#READ_WHERE_CONFIRMED} says so. */
    static final String ANY_INCARNATION = "";

    /** What a client must do. */
    enum Rule {
        /** A quorum is more than half of the nodes. */
        MAJORITY,
        /** Only nodes whose answer went into the token are asked to confirm it. */
        READ_WHERE_CONFIRMED,
        /** Answers of a node that may have lost its memory lately do not count. */
        QUARANTINE,
        /** Two answers with one incarnation are one store listed twice. */
        DISTINCT_STORES
    }

    static QuorumRule asDesigned(int nodes) {
        return new QuorumRule(nodes, Duration.ofSeconds(60), Duration.ofSeconds(1), EnumSet.noneOf(Rule.class));
    }

    QuorumRule without(Rule rule) {
        return new QuorumRule(nodes, maxTtl, maxSkew, EnumSet.of(rule));
    }

    @Override
    public Optional<Plan> plan(List<Optional<Vote.Join>> answers) {
        List<Optional<Vote.Joined>> counted = counted(answers);
        long count = counted.stream().flatMap(Optional::stream).count();
        if (count < quorum()) {
            return Optional.empty();
        }
        long largest = counted.stream()
                .flatMap(Optional::stream)
                .mapToLong(Vote.Joined::token)
                .max()
                .orElseThrow();
        return Optional.of(new Plan(
                1 + largest,
                IntStream.range(0, nodes)
                        .mapToObj(node -> target(counted.get(node), answers.get(node)))
                        .toList()));
    }

    @Override
    public boolean granted(Plan plan, List<Optional<Vote.Confirmation>> answers) {
        return answers.stream()
                        .flatMap(Optional::stream)
                        .filter(Vote.Confirmed.class::isInstance)
                        .count()
                >= quorum();
    }

    private List<Optional<Vote.Joined>> counted(List<Optional<Vote.Join>> answers) {
        Set<String> stores = new HashSet<>();
        List<Optional<Vote.Joined>> counted = new ArrayList<>();
        for (Optional<Vote.Join> answer : answers) {
            counted.add(answer.filter(Vote.Joined.class::isInstance)
                    .map(Vote.Joined.class::cast)
                    .filter(this::oldEnough)
                    .filter(joined -> stores.add(joined.incarnation()) || dropped.contains(Rule.DISTINCT_STORES)));
        }
        return counted;
    }

    private boolean oldEnough(Vote.Joined joined) {
        return dropped.contains(Rule.QUARANTINE) || joined.age().compareTo(maxTtl.plus(maxSkew)) >= 0;
    }

    private Optional<String> target(Optional<Vote.Joined> counted, Optional<Vote.Join> answer) {
        if (!dropped.contains(Rule.READ_WHERE_CONFIRMED)) {
            return counted.map(Vote.Joined::incarnation);
        }
        return Optional.of(answer.filter(Vote.Joined.class::isInstance)
                .map(vote -> ((Vote.Joined) vote).incarnation())
                .orElse(ANY_INCARNATION));
    }

    private int quorum() {
        return nodes / 2 + (dropped.contains(Rule.MAJORITY) ? 0 : 1);
    }
}
