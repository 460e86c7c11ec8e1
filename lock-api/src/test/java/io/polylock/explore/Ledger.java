// SPDX-License-Identifier: Apache-2.0
package io.polylock.explore;

import io.polylock.spi.Acquisition;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** What the store has granted and what is being asked, to be judged. */
final class Ledger {

    private final Schedule schedule;
    private final Map<String, Long> lastTokens = new HashMap<>();
    private final Map<Long, OwnerToken> granted = new HashMap<>();
    private final Map<OwnerToken, String> asking = new HashMap<>();

    Ledger(Schedule schedule) {
        this.schedule = schedule;
    }

    /** Writes a grant down in the moment in which it takes effect. */
    Acquisition granted(LockRequest request, Acquisition acquisition) {
        if (acquisition instanceof Acquisition.Granted grant) {
            long token = grant.fencingToken().orElseThrow();
            long last = lastTokens.getOrDefault(request.name().value(), 0L);
            OwnerToken before = granted.put(token, request.owner());
            if (token < last || (before != null && !before.equals(request.owner()))) {
                schedule.object("fencing token " + token + " was granted after " + last);
            }
            lastTokens.put(request.name().value(), token);
        }
        return acquisition;
    }

    boolean granted(long token) {
        return granted.containsKey(token);
    }

    /** Makes a request; no other one of the same lease may be on its way, undos aside. */
    <T> T inFlight(String what, LockRequest request, Supplier<T> sending) {
        if (schedule.running() && schedule.current().name.contains(" undo#")) {
            return sending.get();
        }
        String other = asking.putIfAbsent(request.owner(), what);
        if (other != null) {
            schedule.object("two requests of one lease are on their way: " + other + " and " + what);
        }
        try {
            return sending.get();
        } finally {
            asking.remove(request.owner());
        }
    }
}
