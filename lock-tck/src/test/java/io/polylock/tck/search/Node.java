// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck.search;

import io.polylock.memory.MemoryLockBackend;
import io.polylock.memory.MemoryStore;
import io.polylock.memory.StoreImage;
import io.polylock.spi.LockName;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import io.polylock.spi.QuorumMember;
import io.polylock.spi.Vote;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * One real node: a {@link MemoryStore} and its client. A dropped rule is played by tilting what the store holds while the
 * real code decides, and putting the rest back afterwards.
 */
final class Node {

    /** What a node must do. */
    enum Rule {
        /** It confirms for the owner of the lock only. */
        OWNER_CHECK,
        /** It does not confirm a number that is smaller than the stored one. */
        NOT_OUTDATED,
        /** It confirms only if a number is stored. */
        COUNTER_PRESENT,
        /** It confirms only in the incarnation in which the client has joined. */
        SAME_INCARNATION,
        /** It confirms no number that is too far ahead of its clock. */
        NOT_AHEAD,
        /** The counter outlives the lock. */
        COUNTER_STAYS
    }

    private static final Duration FOR_EVER = Duration.ofDays(365);

    private final MemoryStore store;
    private final MemoryLockBackend backend;
    private final QuorumMember member;
    private final Set<Rule> dropped;
    private final LockName name;

    Node(SearchClock clock, Duration offset, Set<Rule> dropped, LockName name) {
        this.store = MemoryStore.on(clock);
        this.backend = MemoryLockBackend.of(store);
        this.member = backend.feature(QuorumMember.class).orElseThrow();
        this.dropped = dropped;
        this.name = name;
        store.moveClock(offset);
    }

    MemoryStore store() {
        return store;
    }

    /** Begins a new incarnation, as the first use after a restart without data does. */
    void restart(LockRequest otherLock) {
        store.restartEmpty();
        member.join(otherLock, Optional.empty());
        backend.release(otherLock);
        store.dropCounter(otherLock.name().value());
    }

    Vote.Join join(LockRequest request, Optional<OwnerToken> from) {
        return member.join(request, from);
    }

    Vote.Confirmation confirm(LockRequest request, long token, String incarnation, Duration maxSkew) {
        Duration bound = dropped.contains(Rule.NOT_AHEAD) ? FOR_EVER : maxSkew;
        if (dropped.isEmpty()) {
            return ask(request, token, incarnation, bound);
        }
        StoreImage before = StoreImage.of(store);
        tilted(before, request, token).restore(store);
        Vote.Confirmation answer = ask(request, token, incarnation, bound);
        StoreImage after = answer instanceof Vote.Confirmed
                ? before.withCounter(name, Math.max(token, before.counter(name).orElse(0)))
                : before;
        after.restore(store);
        return answer;
    }

    void release(LockRequest request) {
        backend.release(request);
        if (dropped.contains(Rule.COUNTER_STAYS)) {
            store.dropCounter(name.value());
        }
    }

    private Vote.Confirmation ask(LockRequest request, long token, String incarnation, Duration maxSkew) {
        boolean anyLife = dropped.contains(Rule.SAME_INCARNATION) || incarnation.equals(QuorumRule.ANY_INCARNATION);
        String life = anyLife ? StoreImage.of(store).incarnation().orElse(incarnation) : incarnation;
        return member.confirm(request, life, token, maxSkew);
    }

    private StoreImage tilted(StoreImage image, LockRequest request, long token) {
        StoreImage tilted = image;
        if (dropped.contains(Rule.OWNER_CHECK)) {
            tilted = tilted.withOwner(name, request.owner());
        }
        if (dropped.contains(Rule.COUNTER_PRESENT) && image.counter(name).isEmpty()) {
            tilted = tilted.withCounter(name, 0);
        }
        if (dropped.contains(Rule.NOT_OUTDATED) && image.counter(name).orElse(0) > token) {
            tilted = tilted.withCounter(name, token - 1);
        }
        return tilted;
    }
}
