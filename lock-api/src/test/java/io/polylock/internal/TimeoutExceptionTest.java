// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.LockTimeoutException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TimeoutExceptionTest {

    @Test
    void saysWhoHeldTheLockAndForHowLong() {
        assertThat(new LockTimeoutException(
                        "a", Duration.ofSeconds(5), Optional.of(Duration.ofSeconds(20)), Optional.of("web-7:41")))
                .hasMessage(
                        "lock 'a' was not free within PT5S; held by web-7:41; its TTL ends in PT20S unless renewed");
    }

    @Test
    void keepsWhatItKnowsWhenItIsSerialized() throws Exception {
        LockTimeoutException known = throughBytes(new LockTimeoutException(
                "a", Duration.ofSeconds(5), Optional.of(Duration.ofSeconds(20)), Optional.of("web-7:41")));
        assertThat(known.freeIn()).contains(Duration.ofSeconds(20));
        assertThat(known.holderLabel()).contains("web-7:41");
        LockTimeoutException unknown =
                throughBytes(new LockTimeoutException("a", Duration.ofSeconds(5), Optional.empty(), Optional.empty()));
        assertThat(unknown.freeIn()).isEmpty();
        assertThat(unknown.holderLabel()).isEmpty();
    }

    private static LockTimeoutException throughBytes(LockTimeoutException thrown) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(thrown);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return (LockTimeoutException) in.readObject();
        }
    }
}
