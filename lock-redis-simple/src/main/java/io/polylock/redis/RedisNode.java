// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import io.polylock.spi.Fencing;
import io.polylock.spi.LockRequest;
import io.polylock.spi.OwnerToken;
import io.polylock.spi.QuorumMember;
import io.polylock.spi.Vote;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;

/** One Redis as a node of a quorum. Thread-safe. */
final class RedisNode implements QuorumMember {

    private final RedisSteps steps;
    private final RedisAnswers answers;
    private final ScriptRunner runner;
    private final BiFunction<Script.Call, Deadline, Object> run;

    RedisNode(RedisKeys keys, ScriptRunner runner, BiFunction<Script.Call, Deadline, Object> run) {
        this.steps = new RedisSteps(keys);
        this.answers = new RedisAnswers(keys);
        this.runner = runner;
        this.run = run;
    }

    @Override
    public Vote.Join join(LockRequest request, Optional<OwnerToken> from) {
        Object reply = run.apply(steps.join(request, from), Deadline.in(request.answerWithin()));
        return answers.join(reply, request.name(), runner.place());
    }

    @Override
    public Vote.Confirmation confirm(LockRequest request, String incarnation, long token, Duration maxSkew) {
        if (token < 1 || token >= Fencing.TOKEN_LIMIT) {
            throw new LockBackendException(
                    Outcome.REFUSED, "a fencing token must be positive and below 2^53 but was " + token);
        }
        Object reply =
                run.apply(steps.confirm(request, incarnation, token, maxSkew), Deadline.in(request.answerWithin()));
        return answers.confirmation(reply, request.name(), runner.place());
    }
}
