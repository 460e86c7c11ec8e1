// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

class RedisErrorsTest {

    private static final String PLACE = "Redis at host:1";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "LOADING Redis is loading the dataset in memory|NOT_APPLIED",
                "READONLY You can't write against a read only replica. script: abc, on @user_script:1.|NOT_APPLIED",
                "MASTERDOWN Link with MASTER is down|NOT_APPLIED",
                "CLUSTERDOWN The cluster is down|NOT_APPLIED",
                "OOM command not allowed when used memory > 'maxmemory'.|NOT_APPLIED",
                "ERR Error running script (call to f_ab): @user_script:9: @user_script: 9: -OOM command not allowed|NOT_APPLIED",
                "ERR Error running script (call to f_ab): @user_script:9: READONLY You can't write|NOT_APPLIED",
                "MISCONF Redis is configured to save RDB snapshots|NOT_APPLIED",
                "BUSY Redis is busy running a script|NOT_APPLIED",
                "NOREPLICAS Not enough good replicas to write.|NOT_APPLIED",
                "NOAUTH Authentication required.|REFUSED",
                "WRONGPASS invalid username-password pair or user is disabled.|REFUSED",
                "NOPERM this user has no permissions to run the 'evalsha' command|REFUSED",
                "ERR invalid DB index|REFUSED",
                "ERR DB index is out of range|REFUSED",
                "ERR unknown command 'EVALSHA', with args beginning with: 'x'|REFUSED",
                "ERR invalid password|REFUSED",
                "MOVED 12 other:2|REFUSED",
                "ERR something new|UNKNOWN",
                "ERR Error running script (call to f_ab): @user_script:9: attempt to index a nil value|UNKNOWN",
                "|UNKNOWN"
            })
    void knowsWhatAnErrorSaysOfTheRequest(String error, Outcome outcome) {
        LockBackendException failure = RedisErrors.refused(PLACE, new JedisDataException(error));

        assertThat(failure.outcome()).isEqualTo(outcome);
        assertThat(failure).message().startsWith(PLACE).doesNotContain("args beginning with");
    }

    @Test
    void neverKeepsACauseThatRepeatsWhatWasSent() {
        JedisDataException repeating =
                new JedisDataException("ERR unknown command 'AUTH', with args beginning with: 'me' 'secret' ");
        for (LockBackendException failure : new LockBackendException[] {
            RedisErrors.refused(PLACE, repeating),
            RedisErrors.noConnection(PLACE, new JedisConnectionException(repeating)),
            RedisErrors.noAnswer(PLACE, new JedisConnectionException(repeating))
        }) {
            assertThat(failure).message().doesNotContain("secret");
            assertThat(failure).hasNoCause();
        }
    }
}
