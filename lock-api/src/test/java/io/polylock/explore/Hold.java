// SPDX-License-Identifier: Apache-2.0
package io.polylock.explore;

import io.polylock.Lease;
import io.polylock.LeaseLostException;
import io.polylock.LossCause;
import io.polylock.ReleaseOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A lease in the hands of an actor, and what it went through. */
final class Hold {

    private final Site site;
    private final Lease lease;
    private final List<LossCause> told = new ArrayList<>();
    private final List<ReleaseOutcome> released = new ArrayList<>();
    private boolean given;

    Hold(Site site, Lease lease) {
        this.site = site;
        this.lease = lease;
        lease.onLost(told::add);
    }

    Lease lease() {
        return lease;
    }

    List<LossCause> told() {
        return told;
    }

    List<ReleaseOutcome> released() {
        return released;
    }

    ReleaseOutcome release() {
        return site.releasing("release", () -> {
            given = true;
            ReleaseOutcome found = lease.release();
            released.add(found);
            return found;
        });
    }

    Optional<LossCause> close() {
        return site.releasing("close of the lease", () -> {
            given = true;
            try {
                lease.close();
                return Optional.empty();
            } catch (LeaseLostException e) {
                return Optional.of(e.lossCause());
            }
        });
    }

    Site site() {
        return site;
    }

    /** Whether its holder has begun to release it. */
    boolean given() {
        return given;
    }

    long token() {
        return lease.fencingToken().orElseThrow();
    }

    boolean lost() {
        return lease.toString().endsWith(" LOST");
    }

    /** Whether the store may keep it although nobody holds it, until its TTL ends. */
    boolean leftToItsTtl() {
        return lease.isHeld()
                || (lost() && (!given || told.contains(LossCause.CLOSED) || told.contains(LossCause.MAX_HOLD)));
    }

    String objection() {
        int due = lost() ? 1 : 0;
        return told.size() == due ? "" : lease + " told of its loss " + told.size() + " times: " + told;
    }
}
