// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.LossCause;
import io.polylock.memory.MemoryLockBackend;
import io.polylock.memory.MemoryStore;
import io.polylock.memory.VirtualClock;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ActiveLeaseTest {

    private final VirtualClock clock = new VirtualClock();
    private final Wire wire = new Wire(MemoryLockBackend.of(MemoryStore.on(clock)), clock);
    private final Parts parts = Rig.parts(wire, clock);
    private final Validity validity = Validity.startingNow(clock, Rig.TTL, Numbers.DEFAULTS);
    private final ActiveLease lease = new ActiveLease(
            parts,
            Rig.foreign(Rig.TTL),
            OptionalLong.empty(),
            validity,
            Optional.empty(),
            Run.NONE,
            Rig.succession(parts));

    @AfterEach
    void endWorkers() {
        parts.workers().close();
    }

    @ParameterizedTest
    @EnumSource(names = {"CLOSED", "MAX_HOLD"})
    void aLateHeldAfterWeEndedTheLeaseLeavesTheRecordToTheRunningBody(LossCause cause) {
        lease.lose(cause);
        assertThat(lease.renewed(validity)).isFalse();
        clock.advance(Duration.ofMinutes(1));
        assertThat(wire.releases).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"CLOSED", "MAX_HOLD"})
    void aLateHeldAfterAnyOtherLossIsReleased(LossCause cause) {
        lease.lose(cause);
        assertThat(lease.renewed(validity)).isFalse();
        clock.advance(Duration.ofMinutes(1));
        assertThat(wire.releases).hasSize(2);
    }

    @Test
    void aConfirmationThatComesWhenTheTimeIsUpLosesTheLeaseEvenBeforeTheAlarm() {
        clock.advance(Rig.TTL);
        assertThat(lease.renewed(Validity.startingNow(clock, Rig.TTL, Numbers.DEFAULTS)))
                .isFalse();
        assertThat(lease.state()).isEqualTo(ActiveLease.State.LOST);
    }
}
