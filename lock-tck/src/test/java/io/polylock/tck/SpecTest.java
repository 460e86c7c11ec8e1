// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The specification and the kit say the same. */
class SpecTest {

    private static final Pattern RULE = Pattern.compile("\\| \\*\\*([A-Z]{3}-[0-9]+)\\*\\* \\| (.+) \\|");

    @Test
    void everyRuleHasItsTestAndEveryTestItsRule() throws IOException {
        TreeMap<String, String> written = new TreeMap<>();
        for (String line : spec()) {
            Matcher rule = RULE.matcher(line);
            if (rule.matches()) {
                assertThat(written.put(rule.group(1), rule.group(2)))
                        .as("rule %s is written twice", rule.group(1))
                        .isNull();
            }
        }
        TreeMap<String, String> tested = new TreeMap<>();
        for (Method test : KitTests.all().toList()) {
            assertThat(tested.put(KitTests.rule(test), KitTests.claim(test)))
                    .as("rule %s is tested twice", KitTests.rule(test))
                    .isNull();
        }

        assertThat(tested).isEqualTo(written).hasSizeGreaterThan(90);
    }

    @Test
    void everyTestIsNamedAfterItsRule() {
        for (Method test : KitTests.all().toList()) {
            String rule = KitTests.rule(test);
            assertThat(test.getName()).startsWith(rule.toLowerCase(Locale.ROOT).replace("-", "") + "_");
        }
    }

    @Test
    void everyRuleHasItsForceAndItsIntent() throws IOException {
        List<String> lines = spec();
        for (int i = 0; i < lines.size(); i++) {
            Matcher rule = RULE.matcher(lines.get(i));
            if (rule.matches()) {
                assertThat(rule.group(2)).as(rule.group(1)).startsWith("MUST ");
                assertThat(lines.get(i + 1))
                        .as("the intent of " + rule.group(1))
                        .matches("\\| \\| \\*.+\\* \\|");
            }
        }
    }

    private static List<String> spec() throws IOException {
        return Files.readAllLines(Path.of(System.getProperty("polylock.root"), "docs", "spec.md"));
    }
}
