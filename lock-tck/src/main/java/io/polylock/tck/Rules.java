// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.polylock.Lease;
import io.polylock.spi.Acquisition;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockRequest;
import io.polylock.spi.Ownership;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.opentest4j.AssertionFailedError;

/** What the groups of rules share. */
abstract class Rules {

    private final Supplier<Stage> current;

    Rules(Supplier<Stage> current) {
        this.current = current;
    }

    Stage stage() {
        return current.get();
    }

    static Acquisition.Granted assertGranted(Acquisition acquisition) {
        return assertInstanceOf(Acquisition.Granted.class, acquisition, "the lock was free, so it must be granted");
    }

    static Acquisition.Contended assertContended(Acquisition acquisition) {
        return assertInstanceOf(
                Acquisition.Contended.class,
                acquisition,
                "another owner holds the lock, so the answer must be contended");
    }

    static void assertHeld(Ownership ownership) {
        assertEquals(Ownership.HELD, ownership, "the lock was this owner's");
    }

    static Lease got(Optional<Lease> lease) {
        return lease.orElseThrow(() -> new AssertionFailedError("the lock was free, so it must be acquired"));
    }

    /** The request by which a lock was taken, for the owner to go on with. */
    LockRequest taken(LockBackend backend, String name, Duration ttl) {
        LockRequest request = stage().request(name, ttl);
        assertGranted(backend.tryAcquire(request));
        return request;
    }
}
