// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.discovery.NestedMethodSelector;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** The kit finds wrong backends and wrong engines, each by the rule that one would expect. */
class MutantsTest {

    /** Rules that no wrong backend is seeded for yet: a list that may only shrink. */
    private static final Set<String> WITHOUT_A_MUTANT = Set.of(
            "ACQ-6", "ACQ-8", "ACQ-9", "ACQ-10", "EXC-1", "EXC-2", "EXC-3", "EXC-4", "FEN-4", "FEN-7", "FLT-3", "FLT-7",
            "FLT-10", "FLT-11", "FLT-12", "INP-1", "INP-3", "INP-4", "INS-1", "INS-2", "INS-3",
            "LIF-3", "LIF-4", "LOS-4", "LOS-5", "LOS-7", "LOS-8", "LOS-10", "QUO-1", "QUO-2", "QUO-6", "QUO-7", "REL-1",
            "REL-4", "REL-6", "REL-7", "SIG-1", "WAI-1", "WAI-2", "WAI-3", "WAI-4", "WAI-5", "WAI-6", "WAI-7", "WAI-8", "WAI-9", "WAI-10", "WAI-11", "WAI-12", "WAI-13", "WAI-14", "ASY-1", "ASY-2", "ASY-3", "ASY-4", "ASY-5", "ASY-6", "HND-4", "HND-5", "HND-6", "HND-7", "OBS-1", "OBS-2", "OBS-3", "OBS-4", "LIF-6", "LIF-7", "SIG-2", "SIG-3", "SIG-4");

    private static List<Mutant> mutants() {
        return Stream.of(BackendMutants.all(), FeatureMutants.all(), EngineMutants.all())
                .flatMap(List::stream)
                .toList();
    }

    @Test
    void everyMutantIsKilledByItsRule() {
        List<Mutant> mutants = mutants();
        List<String> survivors = new ArrayList<>();
        StringBuilder table = new StringBuilder("\nmutant  rule    verdict   defect\n");
        for (Mutant mutant : mutants) {
            Verdict verdict = run(mutant);
            table.append(String.format(
                    Locale.ROOT, "%-7s %-7s %-9s %s%n", mutant.id(), mutant.rule(), verdict.word, mutant.defect()));
            if (verdict != Verdict.KILLED) {
                survivors.add(mutant + " by " + mutant.rule());
            }
        }
        table.append(
                String.format(Locale.ROOT, "killed %d of %d%n", mutants.size() - survivors.size(), mutants.size()));
        System.out.println(table);

        assertThat(survivors).isEmpty();
    }

    @Test
    void everyOtherRuleHasAMutant() {
        Set<String> rules = new TreeSet<>();
        KitTests.all().map(KitTests::rule).forEach(rules::add);
        mutants().forEach(mutant -> rules.remove(mutant.rule()));

        assertThat(rules).isEqualTo(WITHOUT_A_MUTANT);
    }

    @Test
    void withoutADefectTheSameRulesPass() {
        Mutant none = MutantTck.seeded;
        Set<String> rules = new TreeSet<>();
        mutants().forEach(mutant -> rules.add(mutant.rule()));

        assertThat(rules.stream()
                        .map(rule -> new Mutant("none", "no defect", rule, none.backend(), none.manager()))
                        .filter(mutant -> run(mutant) != Verdict.SURVIVED)
                        .map(Mutant::rule))
                .isEmpty();
    }

    @Test
    void everyMutantHasItsOwnName() {
        assertThat(mutants()).extracting(Mutant::id).doesNotHaveDuplicates();
    }

    private enum Verdict {
        KILLED("killed"),
        SURVIVED("SURVIVED"),
        NOT_RUN("NOT RUN");

        private final String word;

        Verdict(String word) {
            this.word = word;
        }
    }

    private static Verdict run(Mutant mutant) {
        Mutant before = MutantTck.seeded;
        MutantTck.seeded = mutant;
        List<TestExecutionResult.Status> results = new ArrayList<>();
        try {
            LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                    .selectors(testOf(mutant.rule()))
                    .build();
            LauncherFactory.create().execute(request, new TestExecutionListener() {
                @Override
                public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                    if (test.isTest()) {
                        results.add(result.getStatus());
                    }
                }
            });
        } finally {
            MutantTck.seeded = before;
        }
        if (results.equals(List.of(TestExecutionResult.Status.FAILED))) {
            return Verdict.KILLED;
        }
        return results.equals(List.of(TestExecutionResult.Status.SUCCESSFUL)) ? Verdict.SURVIVED : Verdict.NOT_RUN;
    }

    private static NestedMethodSelector testOf(String rule) {
        Method test = KitTests.all()
                .filter(candidate -> KitTests.rule(candidate).equals(rule))
                .findFirst()
                .orElseThrow(() -> new AssertionError("there is no rule " + rule));
        return DiscoverySelectors.selectNestedMethod(List.of(MutantTck.class), KitTests.groupOf(test), test.getName());
    }
}
