// SPDX-License-Identifier: Apache-2.0
package io.polylock.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.memory.MemoryStore.Network;
import io.polylock.spi.Acquisition;
import io.polylock.spi.BackendUrl;
import io.polylock.spi.BatchRenewal;
import io.polylock.spi.Inspection;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockName;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import io.polylock.spi.Ownership;
import io.polylock.spi.ReleaseSignals;
import io.polylock.spi.ReleaseSignals.SignalListener;
import io.polylock.spi.RenewResult;
import io.polylock.spi.ResendingClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryLockBackendTest {

    private static final Duration BOUND = Duration.ofSeconds(2);

    private final MemoryStore store = MemoryStore.on(new VirtualClock());
    private final MemoryLockBackend backend = MemoryLockBackend.of(store);
    private final LockRequest mine = request();
    private final LockRequest theirs = request();
    private final List<String> signals = new ArrayList<>();

    private static LockRequest request() {
        return new LockRequest(new LockName("a"), OwnerToken.random(), "", Duration.ofSeconds(30), BOUND);
    }

    private void take(LockRequest request) {
        assertThat(backend.tryAcquire(request)).isInstanceOf(Acquisition.Granted.class);
    }

    private void takeAndRelease() {
        take(mine);
        assertThat(backend.release(mine)).isEqualTo(Ownership.HELD);
    }

    private ReleaseSignals.Subscription watch(SignalListener listener) {
        return backend.feature(ReleaseSignals.class).orElseThrow().watch(mine.name(), listener, BOUND);
    }

    private SignalListener listener(String id) {
        return new SignalListener() {
            @Override
            public void released() {
                signals.add(id);
            }

            @Override
            public void gap() {
                signals.add("gap " + id);
            }
        };
    }

    @Test
    void twoClientsShareTheStore() {
        take(mine);
        assertThat(MemoryLockBackend.of(store).tryAcquire(theirs)).isInstanceOf(Acquisition.Contended.class);
    }

    @Test
    void hasEveryFeatureButResending() {
        assertThat(backend.feature(Inspection.class)).isPresent();
        assertThat(backend.feature(ResendingClient.class)).isEmpty();
    }

    @Test
    void aReleaseWakesOneListenerAndTheNextReleaseTheNext() {
        try (var one = watch(listener("one"));
                var two = watch(listener("two"))) {
            assertThat(one).isNotSameAs(two);
            takeAndRelease();
            takeAndRelease();
            takeAndRelease();
        }
        assertThat(signals).containsExactly("one", "two", "one");
    }

    @Test
    void aReleaseThatFreesNothingWakesNobody() {
        try (var subscription = watch(listener("one"))) {
            assertThat(subscription).isNotNull();
            assertThat(backend.release(mine)).isEqualTo(Ownership.ABSENT);
        }
        assertThat(signals).isEmpty();
    }

    @Test
    void aRevocationWakesAListener() {
        take(mine);
        try (var subscription = watch(listener("one"))) {
            assertThat(subscription).isNotNull();
            assertThat(backend.feature(Inspection.class).orElseThrow().revoke(mine.name(), BOUND))
                    .isPresent();
        }
        assertThat(signals).containsExactly("one");
    }

    @Test
    void aClosedSubscriptionHearsNothing() {
        watch(listener("one")).close();
        takeAndRelease();
        assertThat(signals).isEmpty();
    }

    @Test
    void closingASubscriptionTwiceLeavesAnotherOfTheSameListenerAlone() {
        SignalListener listener = listener("one");
        var first = watch(listener);
        try (var second = watch(listener)) {
            assertThat(second).isNotNull();
            first.close();
            first.close();
            takeAndRelease();
        }
        assertThat(signals).containsExactly("one");
    }

    @Test
    void withoutConnectionNothingIsApplied() {
        store.setNetwork(Network.REFUSES);
        assertFails(Outcome.NOT_APPLIED);
        assertThat(store.size()).isZero();
    }

    @Test
    void aLostRequestIsUnknownAndNotApplied() {
        store.setNetwork(Network.LOSES_REQUESTS);
        assertFails(Outcome.UNKNOWN);
        assertThat(store.size()).isZero();
    }

    @Test
    void aLostReplyIsUnknownAndApplied() {
        store.setNetwork(Network.LOSES_REPLIES);
        assertFails(Outcome.UNKNOWN);
        store.setNetwork(Network.UP);
        assertThat(backend.renew(mine)).isEqualTo(Ownership.HELD);
    }

    private void assertFails(Outcome outcome) {
        assertThatThrownBy(() -> backend.tryAcquire(mine))
                .isInstanceOfSatisfying(
                        LockBackendException.class, e -> assertThat(e.outcome()).isEqualTo(outcome));
    }

    @Test
    void aBatchTellsOfEachLease() {
        take(mine);
        LockRequest elsewhere = new LockRequest(new LockName("b"), OwnerToken.random(), "", mine.ttl(), BOUND);
        assertThat(batch(List.of(theirs, mine, elsewhere)))
                .containsExactly(
                        new RenewResult.Answered(Ownership.OTHER_OWNER),
                        new RenewResult.Answered(Ownership.HELD),
                        new RenewResult.Answered(Ownership.ABSENT));
    }

    @Test
    void aBatchWithoutConnectionFailsForEachLease() {
        store.setNetwork(Network.REFUSES);
        assertThat(batch(List.of(mine, theirs))).hasSize(2).allMatch(RenewResult.Failed.class::isInstance);
    }

    private List<RenewResult> batch(List<LockRequest> requests) {
        return backend.feature(BatchRenewal.class).orElseThrow().renewAll(requests);
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, 0, 1_001})
    void refusesAPageThatIsNoPage(int limit) {
        Inspection inspection = backend.feature(Inspection.class).orElseThrow();
        assertThatThrownBy(() -> inspection.list(java.util.Optional.empty(), limit, BOUND))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(Integer.toString(limit));
    }

    @Test
    void answersNothingAfterTheEnd() {
        backend.close();
        backend.close();
        assertThatThrownBy(() -> backend.tryAcquire(mine)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void urlsOfOneNameShareAStoreAsLongAsOneIsOpen() {
        LockBackend one = open("memory:shared-by-two");
        LockBackend two = open("memory:shared-by-two");
        assertThat(one.tryAcquire(mine)).isInstanceOf(Acquisition.Granted.class);
        assertThat(two.tryAcquire(theirs)).isInstanceOf(Acquisition.Contended.class);
        one.close();
        one.close();
        assertThat(two.tryAcquire(theirs)).isInstanceOf(Acquisition.Contended.class);
        two.close();
        try (LockBackend three = open("memory:shared-by-two")) {
            assertThat(three.tryAcquire(theirs)).isInstanceOf(Acquisition.Granted.class);
        }
    }

    @Test
    void urlsOfTwoNamesShareNothing() {
        try (LockBackend one = open("memory:one");
                LockBackend two = open("memory:two")) {
            assertThat(one.tryAcquire(mine)).isInstanceOf(Acquisition.Granted.class);
            assertThat(two.tryAcquire(theirs)).isInstanceOf(Acquisition.Granted.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory:", "memory: ", "memory://host", "memory:name?unknown=1"})
    void refusesOtherUrls(String url) {
        assertThatThrownBy(() -> open(url)).isInstanceOf(IllegalArgumentException.class);
    }

    private static LockBackend open(String url) {
        return new MemoryLockBackendFactory().open(BackendUrl.parse(url));
    }
}
