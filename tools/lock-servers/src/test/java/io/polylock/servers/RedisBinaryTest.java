// SPDX-License-Identifier: Apache-2.0
package io.polylock.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisBinaryTest {

    @ParameterizedTest
    @CsvSource({
        "Linux, amd64, linux-amd64",
        "Linux, aarch64, linux-arm64",
        "Linux, i386, linux-386",
        "Mac OS X, x86_64, darwin-amd64",
        "Mac OS X, aarch64, darwin-arm64",
    })
    void isBundledForThePlatform(String osName, String osArch, String platform) {
        String resource = RedisBinary.resourceFor(osName, osArch);

        assertThat(resource).endsWith(platform);
        assertThat(getClass().getClassLoader().getResource(resource)).isNotNull();
    }

    @ParameterizedTest
    @CsvSource({"Windows 11, amd64", "Mac OS X, i386", "Linux, riscv64", "FreeBSD, amd64"})
    void namesAnUnsupportedPlatformAndTheWaysOut(String osName, String osArch) {
        assertThatThrownBy(() -> RedisBinary.resourceFor(osName, osArch))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(
                        osName,
                        osArch,
                        "POLYLOCK_REDIS_URL",
                        "polylock.redis.url",
                        "POLYLOCK_REDIS_BINARY",
                        "polylock.redis.binary");
    }
}
