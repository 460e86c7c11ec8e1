// SPDX-License-Identifier: Apache-2.0
package io.polylock.explore;

import io.polylock.internal.Insides;
import io.polylock.memory.MemoryLockBackend;
import io.polylock.memory.MemoryStore;
import io.polylock.memory.MemoryStore.Network;
import io.polylock.spi.Acquisition;
import io.polylock.spi.Holder;
import io.polylock.spi.Inspection;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Where one run of a scenario takes place: a store, managers, and actors. It knows what must always hold, and ends the run: when
 * all actors are done it gives the managers time to tidy up, looks whether they have, and closes them.
 */
final class Scene {

    /** Time to tidy up. */
    static final Duration SETTLING = Duration.ofSeconds(30);

    private final Schedule schedule;
    private final Ledger ledger;
    private final MemoryStore store;
    private final MemoryLockBackend records;
    private final Inspection inspection;
    private final List<Site> sites = new ArrayList<>();
    private final List<Hold> holds = new ArrayList<>();
    private final Map<String, Strand> actors = new HashMap<>();
    private final Set<String> interrupted = new HashSet<>();
    private final List<Supplier<String>> demands = new ArrayList<>();
    private final List<Supplier<String>> lastDemands = new ArrayList<>();
    private Network network = Network.UP;
    private boolean tampered;
    private boolean outage;
    private int acting;
    private int heldBefore = -1;

    /** What an actor does. */
    @FunctionalInterface
    interface Script {
        void play() throws Exception;
    }

    Scene(Schedule schedule) {
        this.schedule = schedule;
        this.ledger = new Ledger(schedule);
        this.store = MemoryStore.on(new ScheduleClock(schedule, "store", Footprint.STORE));
        this.records = MemoryLockBackend.of(store);
        this.inspection = records.feature(Inspection.class).orElseThrow();
        schedule.demand(this::objection);
    }

    Schedule schedule() {
        return schedule;
    }

    Site site(String name) {
        return site(name, Site.Make.RIGHT);
    }

    Site site(String name, Site.Make make) {
        long territory = Footprint.ofSite(sites.size());
        Courier courier = new Courier(schedule, ledger, MemoryLockBackend.of(store), territory);
        Site site = new Site(this, schedule, name, territory, courier, make);
        sites.add(site);
        return site;
    }

    /** Somebody with a thread of its own. */
    void actor(String name, Script script) {
        acting++;
        actors.put(name, schedule.start(name, () -> {
            try {
                script.play();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(name, e);
            }
            if (--acting == 0) {
                schedule.at(SETTLING.toNanos(), () -> schedule.start("the end", this::end));
            }
        }));
    }

    /** What must hold between any two steps; says what is wrong, or nothing. */
    void always(Supplier<String> objection) {
        demands.add(objection);
    }

    /** What must hold when all is done; says what is wrong, or nothing. */
    void atTheEnd(Supplier<String> objection) {
        lastDemands.add(objection);
    }

    Hold keep(Hold hold) {
        holds.add(hold);
        return hold;
    }

    /** Whether a request may have had no answer. */
    boolean trouble() {
        return outage || schedule.faults() > 0;
    }

    List<Hold> holds() {
        return holds;
    }

    boolean interrupted(String actor) {
        return interrupted.contains(actor);
    }

    /** A step of an actor that has to do with the steps of others. */
    void step(String what) {
        schedule.point(Schedule.Point.WAITS, List.of(Way.free(what)));
        schedule.touch(Footprint.SHARED);
    }

    /** The calling actor lets time pass. */
    void pass(Duration time) {
        Strand self = schedule.current();
        schedule.at(time.toNanos(), self::unblock);
        schedule.block(List.of(Way.free("has waited " + time)));
    }

    void interrupt(String actor) {
        schedule.point(Schedule.Point.WAITS, List.of(Way.free("interrupts " + actor)));
        schedule.touch(Footprint.of(actor));
        interrupted.add(actor);
        actors.get(actor).interrupt();
    }

    /** The store forgets the lock. */
    void evict() {
        tamper("makes the store forget");
        forget();
    }

    /** As {@link #evict}, in the same step. */
    void forget() {
        schedule.touch(Footprint.STORE);
        store.evict(Site.NAME.value());
    }

    /** Somebody takes the lock from its holder and keeps it for a while. */
    void steal(Duration ttl) {
        tamper("steals the lock");
        store.evict(Site.NAME.value());
        LockRequest thief = new LockRequest(Site.NAME, OwnerToken.random(), "thief", ttl, Site.ANSWER_WITHIN);
        if (!(records.tryAcquire(thief) instanceof Acquisition.Granted)) {
            throw new IllegalStateException("the lock is held");
        }
    }

    private void tamper(String what) {
        schedule.point(Schedule.Point.WAITS, List.of(Way.free(what)));
        schedule.touch(Footprint.STORE | Footprint.BELIEF);
        tampered = true;
    }

    /** What the store does with all requests from now on. */
    void network(Network now) {
        schedule.point(Schedule.Point.WAITS, List.of(Way.free("makes the network " + now)));
        schedule.touch(Footprint.STORE);
        network = now;
        outage = true;
        store.setNetwork(now);
    }

    /** Who holds the lock in the store, whatever its network does. */
    private Optional<Holder> holder() {
        store.setNetwork(Network.UP);
        try {
            return inspection.inspect(Site.NAME, Site.ANSWER_WITHIN);
        } finally {
            store.setNetwork(network);
        }
    }

    private String objection() {
        int held = 0;
        int heldNow = 0;
        for (int i = 0; i < holds.size(); i++) {
            Hold hold = holds.get(i);
            if (hold.lease().isHeld()) {
                held++;
                heldNow |= 1 << i;
                if (hold.site().closed()) {
                    return hold.lease() + " is held, but its manager is closed";
                }
                if (!tampered && !inTheStore(hold)) {
                    return hold.lease() + " is held, but not in the store";
                }
            }
        }
        if (heldNow != heldBefore) {
            schedule.touch(Footprint.BELIEF);
            heldBefore = heldNow;
        }
        if (held > 1) {
            return held + " leases on one lock are held";
        }
        return first(demands);
    }

    private boolean inTheStore(Hold hold) {
        return holder().filter(holder -> holder.fencingToken().getAsLong() == hold.token())
                .isPresent();
    }

    private static String first(List<Supplier<String>> demands) {
        for (Supplier<String> demand : demands) {
            String wrong = demand.get();
            if (!wrong.isEmpty()) {
                return wrong;
            }
        }
        return "";
    }

    /** All actors are done and time has passed. */
    private void end() {
        schedule.stopBranching();
        if (schedule.slow() > 0) {
            pass(SETTLING); // the first time may have been lost to slow threads
        }
        sites.forEach(site -> {
            int outstanding = Insides.outstandingUndos(site.engine());
            if (outstanding > 0 && !site.closing()) {
                schedule.object(outstanding + " undos are outstanding for ever");
            }
        });
        // each manager may keep the one timer that its agenda has set already
        if (schedule.planned() > sites.size()
                && holds.stream().noneMatch(hold -> hold.lease().isHeld())) {
            schedule.object("nobody holds anything, and much is planned");
        }
        holder().ifPresent(holder -> {
            boolean forgotten =
                    (trouble() || schedule.slow() > 0) && sites.stream().anyMatch(Site::closing);
            if (!tampered
                    && !forgotten
                    && holds.stream().noneMatch(hold -> hold.token() == token(holder) && hold.leftToItsTtl())) {
                schedule.object("the store keeps a lock that nobody holds: " + holder);
            }
        });
        sites.stream().filter(site -> !site.closing()).forEach(Site::close);
    }

    private static long token(Holder holder) {
        return holder.fencingToken().orElse(0);
    }

    /** What is wrong after the end, or nothing. */
    String verdict() {
        for (Site site : sites) {
            if (!site.objection().isEmpty()) {
                return site.objection();
            }
        }
        for (Hold hold : holds) {
            if (!hold.objection().isEmpty()) {
                return hold.objection();
            }
            if (!ledger.granted(hold.token())) {
                return hold.lease() + " has a fencing token that the store never granted";
            }
        }
        return first(lastDemands);
    }
}
