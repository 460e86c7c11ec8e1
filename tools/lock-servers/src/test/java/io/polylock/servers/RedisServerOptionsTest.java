// SPDX-License-Identifier: Apache-2.0
package io.polylock.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisServerOptionsTest {

    @Test
    void collectsWhatItIsGiven() {
        RedisServerOptions options = RedisServerOptions.DEFAULTS
                .withConfigLine("maxmemory 10mb")
                .withPassword("secret")
                .withConfigLine("hz 100");

        assertThat(options.password()).contains("secret");
        assertThat(options.configLines()).containsExactly("maxmemory 10mb", "hz 100");
    }

    @ParameterizedTest
    @ValueSource(strings = {"port 1", " Port 1", "daemonize yes", "requirepass x", "dir /", "hz 100\nport 1"})
    void refusesALineThatWouldHideTheServerFromItsLauncher(String line) {
        assertThatThrownBy(() -> RedisServerOptions.DEFAULTS.withConfigLine(line))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(line);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "secret\n", "\u0000"})
    void refusesAPasswordThatTheConfigurationCannotHold(String password) {
        assertThatThrownBy(() -> RedisServerOptions.DEFAULTS.withPassword(password))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
