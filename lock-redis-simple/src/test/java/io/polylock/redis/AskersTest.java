// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AskersTest {

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 2", "4, 3", "8, 6", "16, 12", "100, 96", "-1, 500"})
    void aCrowdLeavesConnectionsForRenewalsAndReleases(int connections, int atOnce) {
        assertThat(nested(Askers.on(connections), 500)).isEqualTo(atOnce);
    }

    /** How many may ask while the ones before still do. */
    private static int nested(Askers askers, int most) {
        if (most == 0) {
            return 0;
        }
        try {
            return askers.ask(Deadline.in(Duration.ofMillis(1)), "here", () -> 1 + nested(askers, most - 1));
        } catch (LockBackendException e) {
            assertThat(e.outcome()).isEqualTo(Outcome.NOT_APPLIED);
            return 0;
        }
    }
}
