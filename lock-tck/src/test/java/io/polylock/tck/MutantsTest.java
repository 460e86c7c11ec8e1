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

    /** Input is checked before an engine or a backend sees it, so that no defect of those can show: a list that may only shrink. */
    private static final Set<String> WITHOUT_A_MUTANT = Set.of("INP-1", "INP-3", "INP-4");

    private static List<Mutant> mutants() {
        return Stream.of(
                        BackendMutants.all(),
                        FeatureMutants.all(),
                        EngineMutants.all(),
                        WaitMutants.all(),
                        LifeMutants.all())
                .flatMap(List::stream)
                .toList();
    }

    @Test
    void everyMutantIsKilledByItsRule() {
        List<Mutant> mutants = mutants();
        List<String> survivors = new ArrayList<>();
        StringBuilder table = new StringBuilder("\nmutant  rule    verdict      ms  defect\n");
        for (Mutant mutant : mutants) {
            long start = System.nanoTime();
            Verdict verdict = run(mutant);
            table.append(String.format(
                    Locale.ROOT,
                    "%-7s %-7s %-9s %5d  %s%n",
                    mutant.id(),
                    mutant.rule(),
                    verdict.word,
                    (System.nanoTime() - start) / 1_000_000,
                    mutant.defect()));
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
