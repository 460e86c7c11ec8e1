// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polylock.memory.MemoryLockBackend;
import io.polylock.spi.BackendUrl;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockBackendFactory;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DiscoveryTest {

    @TempDir
    private Path directory;

    @Test
    void findsTheBackendOfAScheme() {
        try (LockBackend backend = Discovery.open(BackendUrl.parse("memory:found"))) {
            assertThat(backend).isInstanceOf(MemoryLockBackend.class);
        }
    }

    @Test
    void anUnknownSchemeNamesTheSchemesThatAreThere() {
        assertThatThrownBy(() -> Discovery.open(BackendUrl.parse("ftp://me:secret@h")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no backend on the class path opens ftp URLs; found: memory");
    }

    @Test
    void aSchemeOfOursNamesTheArtifactThatIsMissing() {
        assertThatThrownBy(() -> Discovery.open(BackendUrl.parse("redis://h")))
                .hasMessageEndingWith("; add io.polylock:lock-redis-simple");
    }

    @Test
    void twoFactoriesForOneSchemeAreRefusedByName() throws Exception {
        assertThatThrownBy(() -> withServices("twice:a", FirstFactory.class.getName(), SecondFactory.class.getName()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(
                        "more than one backend opens twice URLs",
                        FirstFactory.class.getName(),
                        SecondFactory.class.getName());
    }

    @Test
    void oneFactoryThatIsFoundTwiceIsOne() throws Exception {
        try (LockBackend backend =
                withServices("twice:a", FirstFactory.class.getName(), FirstFactory.class.getName())) {
            assertThat(backend).isInstanceOf(MemoryLockBackend.class);
        }
    }

    @Test
    void aFactoryThatCannotBeLoadedDoesNotHideTheOthers() throws Exception {
        try (LockBackend backend = withServices("twice:a", "no.such.Factory", FirstFactory.class.getName())) {
            assertThat(backend).isInstanceOf(MemoryLockBackend.class);
        }
    }

    @Test
    void aFactoryThatCannotBeLoadedIsNamedIfNoOtherOpensTheUrl() {
        assertThatThrownBy(() -> withServices("absent:a", "no.such.Factory"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("no backend on the class path opens absent URLs", "no.such.Factory");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void findsOursWhateverTheContextClassLoaderIs(boolean none) throws Exception {
        ClassLoader odd = none ? null : ClassLoader.getPlatformClassLoader();
        try (LockBackend backend = inContext(odd, () -> Discovery.open(BackendUrl.parse("memory:found")))) {
            assertThat(backend).isInstanceOf(MemoryLockBackend.class);
        }
    }

    private LockBackend withServices(String url, String... factories) throws Exception {
        Path services = directory.resolve("META-INF/services");
        Files.createDirectories(services);
        Files.writeString(services.resolve(LockBackendFactory.class.getName()), String.join("\n", factories));
        URL[] classPath = {directory.toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(classPath, DiscoveryTest.class.getClassLoader())) {
            return inContext(loader, () -> Discovery.open(BackendUrl.parse(url)));
        }
    }

    private static LockBackend inContext(
            @org.jspecify.annotations.Nullable ClassLoader loader, Callable<LockBackend> work) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return work.call();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** One of two factories for a scheme. */
    public static final class FirstFactory implements LockBackendFactory {

        @Override
        public Set<String> schemes() {
            return Set.of("twice");
        }

        @Override
        public LockBackend open(BackendUrl url) {
            return MemoryLockBackend.create();
        }
    }

    /** The other one. */
    public static final class SecondFactory implements LockBackendFactory {

        @Override
        public Set<String> schemes() {
            return Set.of("twice");
        }

        @Override
        public LockBackend open(BackendUrl url) {
            return MemoryLockBackend.create();
        }
    }
}
