// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProtectedFilesTest {

    @TempDir
    private Path directory;

    @Test
    void theLedgerRefusesAnOlderTokenAndSaysWhichItHasSeen() throws IOException {
        FencedLedger ledger = new FencedLedger(directory.resolve("ledger"));

        assertThat(ledger.append(10, "first")).isEmpty();
        assertThat(ledger.append(12, "second")).isEmpty();
        assertThat(ledger.append(11, "late")).isEqualTo(OptionalLong.of(12));
        assertThat(ledger.append(12, "second again")).isEmpty();
        assertThat(Files.readAllLines(directory.resolve("ledger")))
                .containsExactly("10 first", "12 second", "12 second again");
    }

    @Test
    void theCounterStartsAtZeroAndLosesAnUpdateOfTwoThatReadTheSame() throws IOException {
        CounterFile counter = new CounterFile(directory.resolve("counter"));
        long first = counter.read();
        long second = counter.read();

        counter.write(first + 1);
        counter.write(second + 1);

        assertThat(first).isZero();
        assertThat(counter.read()).isEqualTo(1);
    }
}
