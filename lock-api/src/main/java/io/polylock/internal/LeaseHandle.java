// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.Lease;
import io.polylock.LossCause;
import io.polylock.ReleaseOutcome;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** What the application holds. The engine refers to it weakly, so that it notices when nobody does any more. */
public final class LeaseHandle implements Lease {

    private final ActiveLease lease;

    LeaseHandle(ActiveLease lease) {
        this.lease = lease;
        lease.heldThrough(this);
    }

    @Override
    public String lockName() {
        return lease.request().name().value();
    }

    @Override
    public OptionalLong fencingToken() {
        return lease.fencingToken();
    }

    @Override
    public boolean isHeld() {
        return lease.isHeld();
    }

    @Override
    public Duration remaining() {
        return lease.remaining();
    }

    @Override
    public void onLost(Consumer<? super LossCause> action) {
        lease.onLost(action);
    }

    @Override
    public ReleaseOutcome release() {
        return lease.release();
    }

    @Override
    public void close() {
        lease.close();
    }

    @Override
    public String toString() {
        return "lease on lock '" + lockName() + "' " + lease.state();
    }
}
