// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.memory.MemoryLockBackendFactory;
import io.polylock.spi.Acquisition;
import io.polylock.spi.BackendUrl;
import io.polylock.spi.Handover;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockName;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import io.polylock.spi.Ownership;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class CarelessLockBackendTest {

    @Test
    void aStrangersReleaseFreesTheLockAndItsHolderIsNotTold() {
        try (LockBackend backend = CarelessLockBackend.of(
                        new MemoryLockBackendFactory().open(BackendUrl.parse("memory:careless")))
                .orElseThrow()) {
            LockRequest holder = request();
            assertThat(backend.tryAcquire(holder)).isInstanceOf(Acquisition.Granted.class);

            assertThat(backend.release(request())).isEqualTo(Ownership.HELD);

            assertThat(backend.tryAcquire(request())).isInstanceOf(Acquisition.Granted.class);
            assertThat(backend.renew(holder)).isEqualTo(Ownership.HELD);
            assertThat(backend.feature(Handover.class)).isEmpty();
        }
    }

    private static LockRequest request() {
        return new LockRequest(
                new LockName("n"), OwnerToken.random(), "", Duration.ofMinutes(1), Duration.ofSeconds(1));
    }
}
