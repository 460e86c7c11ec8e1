// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.spi.Holder;
import io.polylock.spi.Inspection;
import io.polylock.spi.LockName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/** Looks at the locks of one Redis. Thread-safe. */
final class RedisInspection implements Inspection {

    private static final String START = "0";

    /** What a scan tells of one lock: its type, how its value starts, and what is left of its TTL. */
    private record Found(LockName name, List<?> record) {}

    private final RedisKeys keys;
    private final RedisSteps steps;
    private final RedisAnswers answers;
    private final ScriptRunner runner;
    private final BiFunction<Script.Call, Deadline, Object> run;

    RedisInspection(RedisKeys keys, ScriptRunner runner, BiFunction<Script.Call, Deadline, Object> run) {
        this.keys = keys;
        this.steps = new RedisSteps(keys);
        this.answers = new RedisAnswers(keys);
        this.runner = runner;
        this.run = run;
    }

    @Override
    public Optional<Holder> inspect(LockName name, Duration answerWithin) {
        return holder(name, run.apply(steps.inspect(name), Deadline.in(answerWithin)));
    }

    @Override
    public Page list(Optional<String> after, int limit, Duration answerWithin) {
        if (limit < 1 || limit > LARGEST_PAGE) {
            throw new IllegalArgumentException("a page limit must be 1 to " + LARGEST_PAGE + " but was " + limit);
        }
        String cursor = after.orElse(START);
        if (!cursor.matches("[0-9]{1,20}")) {
            throw new IllegalArgumentException("a page must be asked for with next() of the page before");
        }
        Deadline deadline = Deadline.in(answerWithin);
        Object reply = run.apply(steps.scan(cursor, limit), deadline);
        if (!(reply instanceof List<?> page && page.size() == 2 && page.get(1) instanceof List<?> found)) {
            throw RedisErrors.strange(runner.place(), Reply.kind(reply));
        }
        List<Found> locks = locks(found);
        String next = Reply.text(page.get(0));
        return new Page(
                locks.isEmpty() ? List.of() : holders(locks, deadline),
                next.equals(START) ? Optional.empty() : Optional.of(next));
    }

    @Override
    public Optional<Holder> revoke(LockName name, Duration answerWithin) {
        Object reply = run.apply(steps.revoke(name), Deadline.in(answerWithin));
        Optional<Holder> holder = holder(name, reply);
        if (reply instanceof List<?> record && holder.isPresent() && record.get(1) == null) {
            throw new LockBackendException(
                    Outcome.REFUSED,
                    "key \"" + keys.lock(name) + "\" of " + runner.place() + " holds a " + Reply.text(record.get(0))
                            + ", which is no lock; nothing was deleted");
        }
        return holder;
    }

    private Optional<Holder> holder(LockName name, Object reply) {
        if (reply.equals(Reply.NOTHING)) {
            return Optional.empty();
        }
        Object companion = reply instanceof List<?> record && record.size() == 4 ? record.get(3) : null;
        return Optional.of(answers.holder(name, reply, companion, runner.place()));
    }

    /** What was found; keys that no lock can have are left out. */
    private List<Found> locks(List<?> found) {
        List<Found> locks = new ArrayList<>();
        for (Object each : found) {
            if (each instanceof List<?> record && record.size() == 4 && record.get(0) instanceof byte[] key) {
                keys.nameAt(new String(key, UTF_8))
                        .ifPresent(name -> locks.add(new Found(name, record.subList(1, record.size()))));
            }
        }
        return locks;
    }

    private List<Holder> holders(List<Found> locks, Deadline deadline) {
        Object reply =
                run.apply(steps.companions(locks.stream().map(Found::name).toList()), deadline);
        if (!(reply instanceof List<?> companions && companions.size() == locks.size())) {
            throw RedisErrors.strange(runner.place(), Reply.kind(reply));
        }
        List<Holder> holders = new ArrayList<>();
        for (int i = 0; i < locks.size(); i++) {
            Found lock = locks.get(i);
            holders.add(answers.holder(lock.name, lock.record, companions.get(i), runner.place()));
        }
        return holders;
    }
}
