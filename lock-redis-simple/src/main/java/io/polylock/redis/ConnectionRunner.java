// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import io.polylock.LockBackendException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * Runs scripts on connections that it takes for itself, so that it knows whether a request was sent, can bound it, and can
 * be certain that nobody sends it again. Thread-safe.
 */
final class ConnectionRunner implements ScriptRunner {

    /** How many requests are written before the first answer is read: few enough to fit into the buffers of a socket. */
    private static final int BATCH = 32;

    private final Connections connections;

    /** The scripts that were sent as text at least once, so that the server most likely knows them. */
    private final Set<Script> sent = ConcurrentHashMap.newKeySet();

    ConnectionRunner(Connections connections) {
        this.connections = connections;
    }

    @Override
    public Object run(Script.Call call, Deadline deadline) {
        Wire wire = connections.take(deadline);
        boolean clean = false;
        try {
            requireTime(deadline);
            Object reply = ask(wire, call, deadline);
            clean = true;
            return reply;
        } catch (JedisDataException e) {
            LockBackendException refused = RedisErrors.refused(place(), e);
            clean = !spoiled(refused);
            throw refused;
        } catch (LockBackendException e) {
            clean = true;
            throw e;
        } catch (RuntimeException e) {
            if (!RedisErrors.isTimeout(e)) {
                connections.discardIdle();
            }
            throw RedisErrors.noAnswer(place(), e);
        } finally {
            putAway(wire, clean);
        }
    }

    @Override
    public List<Result> runAll(List<Script.Call> calls, Deadline deadline) {
        List<Result> results = new ArrayList<>(calls.size());
        Wire wire;
        try {
            wire = connections.take(deadline);
        } catch (LockBackendException e) {
            calls.forEach(call -> results.add(new Result.Failed(e)));
            return results;
        }
        boolean clean = false;
        try {
            for (int start = 0; start < calls.size(); start += BATCH) {
                askTogether(wire, calls.subList(start, Math.min(start + BATCH, calls.size())), deadline, results);
            }
            clean = results.stream().noneMatch(this::spoiled);
        } catch (RuntimeException e) {
            LockBackendException failure =
                    e instanceof LockBackendException known ? known : RedisErrors.noAnswer(place(), e);
            while (results.size() < calls.size()) {
                results.add(new Result.Failed(failure));
            }
        } finally {
            putAway(wire, clean);
        }
        return results;
    }

    @Override
    public String place() {
        return connections.place();
    }

    @Override
    public void close() {
        connections.close();
    }

    /** One round trip; a second one only if the server has forgotten the script, and then nothing has run. */
    private Object ask(Wire wire, Script.Call call, Deadline deadline) {
        try {
            return exchange(wire, command(call), deadline);
        } catch (JedisNoScriptException forgotten) {
            requireTime(deadline);
            return exchange(wire, call.byText(), deadline);
        }
    }

    private CommandArguments command(Script.Call call) {
        return sent.add(call.script()) ? call.byText() : call.byDigest();
    }

    private static Object exchange(Wire wire, CommandArguments command, Deadline deadline) {
        wire.endBy(deadline);
        return Reply.orNothing(wire.connection().executeCommand(command));
    }

    private void askTogether(Wire wire, List<Script.Call> calls, Deadline deadline, List<Result> results) {
        requireTime(deadline);
        wire.endBy(deadline);
        calls.forEach(call -> wire.connection().sendCommand(command(call)));
        int first = results.size();
        List<Integer> forgotten = new ArrayList<>();
        for (int i = 0; i < calls.size(); i++) {
            try {
                results.add(new Result.Reply(Reply.orNothing(wire.connection().getOne())));
            } catch (JedisNoScriptException e) {
                forgotten.add(i);
                results.add(new Result.Failed(RedisErrors.refused(place(), e)));
            } catch (JedisDataException e) {
                results.add(new Result.Failed(RedisErrors.refused(place(), e)));
            }
        }
        for (int i : forgotten) {
            results.set(first + i, askAgain(wire, calls.get(i), deadline));
        }
    }

    private Result askAgain(Wire wire, Script.Call call, Deadline deadline) {
        try {
            requireTime(deadline);
            return new Result.Reply(exchange(wire, call.byText(), deadline));
        } catch (LockBackendException e) {
            return new Result.Failed(e);
        } catch (JedisDataException e) {
            return new Result.Failed(RedisErrors.refused(place(), e));
        }
    }

    private void requireTime(Deadline deadline) {
        if (deadline.isOver()) {
            throw RedisErrors.noTimeLeft(place());
        }
    }

    /** A demoted master, for one, is left for good: a new connection may find the new one at the same address. */
    private boolean spoiled(LockBackendException failure) {
        boolean spoiled = RedisErrors.spoilsConnection(failure);
        if (spoiled) {
            connections.discardIdle();
        }
        return spoiled;
    }

    private boolean spoiled(Result result) {
        return result instanceof Result.Failed failed && spoiled(failed.failure());
    }

    private void putAway(Wire wire, boolean clean) {
        if (clean) {
            connections.giveBack(wire);
        } else {
            connections.discard(wire);
        }
    }
}
