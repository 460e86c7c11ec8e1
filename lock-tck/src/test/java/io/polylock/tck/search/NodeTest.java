// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.spi.LockName;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import io.polylock.spi.Vote;
import io.polylock.spi.Vote.Refused.Reason;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NodeTest {

    private static final LockName NAME = new LockName("searched");
    private static final Duration MAX_SKEW = Duration.ofSeconds(1);

    private final SearchClock clock = new SearchClock();

    @Test
    void answersARepeatedConfirmLikeTheFirst() {
        Node node = node(EnumSet.noneOf(Node.Rule.class));
        Vote.Joined joined = (Vote.Joined) node.join(request(1), Optional.empty());

        for (int time = 0; time < 2; time++) {
            assertThat(node.confirm(request(1), joined.token() + 1, joined.incarnation(), MAX_SKEW))
                    .isEqualTo(new Vote.Confirmed());
        }
    }

    @Test
    void doesNotConfirmOneNumberToTwoOwnersAfterItsCounterWasLost() {
        assertThat(confirmsTheNumberOfAnotherOwner(EnumSet.noneOf(Node.Rule.class)))
                .isEqualTo(new Vote.Refused(Reason.FORGOTTEN));
    }

    @Test
    void wouldDoSoIfItConfirmedWithoutAStoredCounter() {
        assertThat(confirmsTheNumberOfAnotherOwner(EnumSet.of(Node.Rule.COUNTER_PRESENT)))
                .isEqualTo(new Vote.Confirmed());
    }

    /** Both have got to one number, by answers of other nodes; b's phase 1 arrives twice. */
    private Vote.Confirmation confirmsTheNumberOfAnotherOwner(Set<Node.Rule> dropped) {
        LockRequest a = request(1);
        LockRequest b = request(2);
        Node node = node(dropped);
        Vote.Joined joined = (Vote.Joined) node.join(b, Optional.empty());
        long both = joined.token() + 2;
        node.store().evict(NAME.value());
        node.join(a, Optional.empty());
        assertThat(node.confirm(a, both, joined.incarnation(), MAX_SKEW)).isEqualTo(new Vote.Confirmed());
        node.store().evict(NAME.value());
        node.join(b, Optional.empty());
        clock.set(10);
        node.store().dropCounter(NAME.value());
        return node.confirm(b, both, joined.incarnation(), MAX_SKEW);
    }

    private Node node(Set<Node.Rule> dropped) {
        return new Node(clock, Duration.ZERO, dropped, NAME);
    }

    private static LockRequest request(int attempt) {
        OwnerToken owner = OwnerToken.of(String.format("%032x", attempt));
        return new LockRequest(NAME, owner, "", Duration.ofSeconds(60), Duration.ofSeconds(1));
    }
}
