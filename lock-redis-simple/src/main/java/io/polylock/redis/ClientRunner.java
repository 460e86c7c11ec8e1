// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import io.polylock.LockBackendException;
import java.util.List;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * Runs scripts through a client whose connections are out of reach: its own timeouts bound a call, and it may send a request
 * again, so that no failure of it is known to have changed nothing unless the server said so.
 */
final class ClientRunner implements ScriptRunner {

    private final UnifiedJedis client;

    ClientRunner(UnifiedJedis client) {
        this.client = client;
    }

    @Override
    public Object run(Script.Call call, Deadline deadline) {
        if (deadline.isOver()) {
            throw RedisErrors.noTimeLeft(place());
        }
        try {
            return Reply.orNothing(ask(call));
        } catch (JedisDataException e) {
            throw RedisErrors.refused(place(), e);
        } catch (RuntimeException e) {
            keepInterrupt(e);
            throw RedisErrors.noAnswer(place(), e);
        }
    }

    @Override
    public List<Result> runAll(List<Script.Call> calls, Deadline deadline) {
        return calls.stream().map(call -> runOne(call, deadline)).toList();
    }

    @Override
    public String place() {
        return "the Redis of the given " + client.getClass().getSimpleName();
    }

    @Override
    public void close() {}

    private Object ask(Script.Call call) {
        try {
            return client.evalsha(call.script().digest(), call.keys(), call.arguments());
        } catch (JedisNoScriptException forgotten) {
            return client.eval(call.script().text(), call.keys(), call.arguments());
        }
    }

    private Result runOne(Script.Call call, Deadline deadline) {
        try {
            return new Result.Reply(run(call, deadline));
        } catch (LockBackendException e) {
            return new Result.Failed(e);
        }
    }

    private static void keepInterrupt(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
