// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.polylock.memory.MemoryLockBackendFactory;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockBackendFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The arrows between the modules, and what may be public, for the main classes of all modules. */
class ArchitectureTest {

    private static final String[] API = {"io.polylock", "io.polylock.spi", "io.polylock.internal", "io.polylock.memory"
    };
    private static final String[] TOOLS = {"io.polylock.cli..", "io.polylock.servers.."};
    private static final String KIT = "io.polylock.tck";

    /** The client libraries of each backend, by its package. */
    private static final Map<String, List<String>> CLIENTS = Map.of(
            "io.polylock.redis", List.of("redis.clients.jedis..", "org.apache.commons.pool2.."),
            "io.polylock.redisson", List.of("org.redisson.."),
            "io.polylock.redlock", List.of(),
            "io.polylock.jdbc", List.of("org.jdbi..", "com.zaxxer.hikari..", "javax.sql.."));

    private static final JavaClasses MAIN = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.polylock");

    @Test
    void theApiNeedsTheJdkAlone() {
        classes()
                .that()
                .resideInAnyPackage(API)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(and(API, "java..", "jdk.jfr..", "org.jspecify.."))
                .check(MAIN);
    }

    @Test
    void oneClassAloneTouchesTheFlightRecorderBecauseAJvmMayLackIt() {
        noClasses()
                .that()
                .haveNameNotMatching("io\\.polylock\\.internal\\.FlightEvents(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("jdk.jfr..")
                .check(MAIN);
    }

    @Test
    void aBackendKnowsTheApiTheSpiAndItsClientLibraryAlone() {
        assertThat(backends()).isNotEmpty();
        for (LockBackendFactory backend : backends()) {
            String itself = backend.getClass().getPackageName();
            assertThat(CLIENTS)
                    .as("this test must know the client library of each backend")
                    .containsKey(itself);
            String[] allowed = and(
                    CLIENTS.getOrDefault(itself, List.of()).toArray(String[]::new),
                    itself,
                    "io.polylock",
                    "io.polylock.spi",
                    "java..",
                    "org.jspecify..");
            classes()
                    .that()
                    .resideInAPackage(itself + "..")
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(allowed)
                    .check(MAIN);
        }
    }

    @Test
    void theInternalPackageIsTheApisOwn() {
        noClasses()
                .that()
                .resideOutsideOfPackages(API)
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.polylock.internal..")
                .check(MAIN);
    }

    @Test
    void aBackendShowsItsBackendItsFactoryAndItsOptionsAlone() {
        for (LockBackendFactory backend : backends()) {
            classes()
                    .that()
                    .resideInAPackage(backend.getClass().getPackageName() + "..")
                    .and()
                    .arePublic()
                    .and()
                    .areTopLevelClasses()
                    .should()
                    .beAssignableTo(describe(
                            "a backend, a factory or a record named ...Options",
                            shown -> shown.isAssignableTo(LockBackend.class)
                                    || shown.isAssignableTo(LockBackendFactory.class)
                                    || (shown.isRecord()
                                            && shown.getSimpleName().endsWith("Options"))))
                    .check(MAIN);
        }
    }

    @Test
    void nobodyCanExtendAPublicClassButTheKits() {
        DescribedPredicate<JavaClass> closed = describe(
                "final, sealed, an interface, or abstract in the kit",
                shown -> shown.isInterface()
                        || shown.getModifiers().contains(JavaModifier.FINAL)
                        || shown.reflect().isSealed()
                        || shown.isEnum() // its constants may have bodies, but nobody else can
                        || (shown.getPackageName().equals(KIT)
                                && shown.getModifiers().contains(JavaModifier.ABSTRACT)));
        classes().that().arePublic().should().beAssignableTo(closed).check(MAIN);
    }

    @Test
    void onlyToolsPrint() {
        DescribedPredicate<JavaClass> system = describe("System", owner -> owner.isEquivalentTo(System.class));
        noClasses()
                .that()
                .resideOutsideOfPackages(TOOLS)
                .should()
                .accessFieldWhere(describe(
                        "System.out or System.err",
                        access -> system.test(access.getTargetOwner())
                                && List.of("out", "err").contains(access.getName())))
                .check(MAIN);
    }

    @Test
    void noLibraryCodeSleepsOrReadsTheWallClockInMilliseconds() {
        noClasses()
                .that()
                .resideOutsideOfPackages(and(TOOLS, KIT + ".."))
                .should()
                .callMethodWhere(describe(
                        "Thread.sleep, TimeUnit.sleep or System.currentTimeMillis",
                        call -> call.getName().equals("currentTimeMillis")
                                || (call.getName().equals("sleep")
                                        && call.getTargetOwner()
                                                .getPackageName()
                                                .startsWith("java."))))
                .check(MAIN);
    }

    @Test
    void everyBackendOfTheSourceTreeIsSeenHere() throws IOException {
        List<String> seen = ServiceLoader.load(LockBackendFactory.class).stream()
                .map(provider -> provider.type().getName())
                .toList();
        List<String> declared = sources("src/main/resources/META-INF/services/" + LockBackendFactory.class.getName())
                .flatMap(ArchitectureTest::lines)
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList();

        assertThat(declared).isNotEmpty();
        assertThat(seen).as("backends on this module's class path").containsAll(declared);
    }

    @Test
    void everyBackendPassesTheKit() throws IOException {
        assertThat(backends()).isNotEmpty();
        for (LockBackendFactory backend : backends()) {
            Path module = moduleOf(backend.getClass());
            try (Stream<Path> tests = Files.walk(module.resolve("src/test/java"))) {
                Optional<Path> kitTest = tests.filter(file -> file.toString().endsWith(".java"))
                        .filter(file -> lines(file).anyMatch(line -> line.contains("extends LockBackendTck")))
                        .findFirst();
                assertThat(kitTest)
                        .as("a test class that extends LockBackendTck in " + module.getFileName())
                        .isPresent();
            }
        }
    }

    private static List<LockBackendFactory> backends() {
        return ServiceLoader.load(LockBackendFactory.class).stream()
                .filter(provider -> provider.type() != MemoryLockBackendFactory.class) // the kit's own first subject
                .map(ServiceLoader.Provider::get)
                .toList();
    }

    private static Path moduleOf(Class<?> type) throws IOException {
        String source = "src/main/java/" + type.getName().replace('.', '/') + ".java";
        Path file = sources(source).findFirst().orElseThrow(() -> new AssertionError("no module has " + source));
        Path module = file.resolve("../".repeat(Path.of(source).getNameCount())).normalize();
        return module;
    }

    /** The files of the source tree, examples aside, whose path ends so. */
    private static Stream<Path> sources(String end) throws IOException {
        Path root = Path.of(System.getProperty("polylock.root"));
        try (Stream<Path> files = Files.walk(root)) {
            return files
                    .filter(file -> file.endsWith(end) && !root.relativize(file).startsWith("examples"))
                    .toList()
                    .stream();
        }
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String[] and(String[] some, String... more) {
        return Stream.concat(Stream.of(some), Stream.of(more)).toArray(String[]::new);
    }
}
