// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class CommandLineTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            --nope                              | Unknown option: '--nope'
            bogus                               | Unmatched argument at index 0: 'bogus'
            demo --workers 3                    | --workers must be 4 to 20 but was 3
            demo --seconds 4                    | --seconds must be 5 to 600 but was 4
            demo --seconds long                 | Invalid value for option '--seconds': 'long' is not an int
            demo --url nonsense                 | a lock URL must start with a scheme
            demo --url foo://host               | no backend on the class path opens foo URLs; found:
            demo --url foo://host --break       | no backend on the class path opens foo URLs; found:
            demo --url memory:here              | a memory: store is inside one process
            """)
    void aWrongCallGetsOneSentenceAndAHint(String arguments, String sentence) {
        Output output = run(arguments.split(" "));

        assertThat(output.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(output.err()).startsWith(sentence).doesNotContain("\tat ");
        assertThat(output.err().lines().toList()).hasSize(2).last().asString().startsWith("Try 'polylock");
    }

    @Test
    void aStoreThatDoesNotAnswerGetsOneSentence() {
        Output output = run("demo", "--url", "redis://:hush@127.0.0.1:1");

        assertThat(output.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(output.err()).startsWith("cannot use redis://127.0.0.1:1: ").doesNotContain("hush", "\tat ");
        assertThat(output.err().lines().toList()).hasSize(1);
    }

    @Test
    void helpShowsTheDemoAndHidesTheWorker() {
        Output output = run("--help");

        assertThat(output.exitCode()).isEqualTo(ExitCode.OK);
        assertThat(output.out()).contains("polylock demo --break").doesNotContain("worker");
    }

    private record Output(int exitCode, String out, String err) {}

    private static Output run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine line = Main.commandLine().setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        return new Output(line.execute(arguments), out.toString(), err.toString());
    }
}
