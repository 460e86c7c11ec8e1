// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import io.polylock.internal.Numbers;
import java.time.Duration;

/** The engine's numbers with one of them wrong. */
final class WrongNumbers {

    private static final Numbers N = Numbers.DEFAULTS;

    private WrongNumbers() {}

    static Numbers drift(int permille, Duration fixed) {
        return numbers(permille, fixed, N.renewalsPerTtl(), N.renewalJitter(), N.firstPoll(), N.pollCeiling());
    }

    static Numbers renewals(int perTtl) {
        return numbers(N.driftPermille(), N.driftFixed(), perTtl, 0, N.firstPoll(), N.pollCeiling());
    }

    static Numbers polls(Duration each) {
        return numbers(N.driftPermille(), N.driftFixed(), N.renewalsPerTtl(), N.renewalJitter(), each, each);
    }

    private static Numbers numbers(
            int driftPermille,
            Duration driftFixed,
            int renewalsPerTtl,
            double renewalJitter,
            Duration firstPoll,
            Duration pollCeiling) {
        return new Numbers(
                driftPermille,
                driftFixed,
                renewalsPerTtl,
                renewalJitter,
                N.retriesPerTtl(),
                N.retryCeiling(),
                firstPoll,
                pollCeiling,
                pollCeiling.equals(N.pollCeiling()) ? N.safetyPoll() : pollCeiling,
                N.pollJitter(),
                N.undoBackoff(),
                N.undoCeiling(),
                N.undoCapacity(),
                N.longestRun(),
                N.longestRunTime(),
                N.sitOut(),
                N.callbackThreads(),
                N.headThreads(),
                N.renewalThreads(),
                N.renewalBatch(),
                N.batchThreads());
    }
}
