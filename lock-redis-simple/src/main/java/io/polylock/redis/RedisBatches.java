// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import io.polylock.LockBackendException;
import io.polylock.spi.BatchRenewal;
import io.polylock.spi.LockRequest;
import io.polylock.spi.RenewResult;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/** Renews many leases in few round trips. Thread-safe. */
final class RedisBatches implements BatchRenewal {

    private final RedisSteps steps;
    private final RedisAnswers answers;
    private final ScriptRunner runner;
    private final Runnable requireOpen;

    RedisBatches(RedisKeys keys, ScriptRunner runner, Runnable requireOpen) {
        this.steps = new RedisSteps(keys);
        this.answers = new RedisAnswers(keys);
        this.runner = runner;
        this.requireOpen = requireOpen;
    }

    @Override
    public List<RenewResult> renewAll(List<LockRequest> requests) {
        requireOpen.run();
        Duration bound = requests.stream()
                .map(LockRequest::answerWithin)
                .min(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
        List<Script.Call> calls = requests.stream().map(steps::renew).toList();
        return runner.runAll(calls, Deadline.in(bound)).stream()
                .map(this::renewed)
                .toList();
    }

    private RenewResult renewed(ScriptRunner.Result result) {
        if (result instanceof ScriptRunner.Result.Failed failed) {
            return new RenewResult.Failed(failed.failure());
        }
        try {
            return new RenewResult.Answered(
                    answers.ownership(((ScriptRunner.Result.Reply) result).value(), runner.place()));
        } catch (LockBackendException e) {
            return new RenewResult.Failed(e);
        }
    }
}
