// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.polylock.LockManager;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An application server must be able to drop an application that used the library. */
@Timeout(120)
class ClassLoaderTest {

    private final ReferenceQueue<ClassLoader> collected = new ReferenceQueue<>();

    @Test
    void nothingKeepsALoaderWhoseManagersAreClosed() throws Exception {
        assertCollected(useInALoaderOfItsOwn());
    }

    @Test
    void norDoesARecordingThatGoesOn() throws Exception {
        try (Recording recording = new Recording()) {
            recording.start();
            assertCollected(useInALoaderOfItsOwn());
        }
    }

    private void assertCollected(WeakReference<ClassLoader> loader) throws InterruptedException {
        for (int i = 0; i < 100 && !loader.refersTo(null); i++) {
            System.gc();
            collected.remove(100);
        }
        assertThat(loader.refersTo(null)).isTrue();
    }

    private WeakReference<ClassLoader> useInALoaderOfItsOwn() throws Exception {
        URL classes = LockManager.class.getProtectionDomain().getCodeSource().getLocation();
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {classes}, ClassLoader.getPlatformClassLoader())) {
            Thread.currentThread().setContextClassLoader(loader);
            use(loader);
            return new WeakReference<>(loader, collected);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    private static void use(ClassLoader loader) throws Exception {
        Class<?> optionsType = loader.loadClass("io.polylock.ManagerOptions");
        assertThat(optionsType).isNotEqualTo(io.polylock.ManagerOptions.class);
        Object options = optionsType
                .getMethod("withCloseGrace", Duration.class)
                .invoke(optionsType.getField("DEFAULTS").get(null), Duration.ZERO);
        Object manager = loader.loadClass("io.polylock.LockManager")
                .getMethod("open", String.class, optionsType)
                .invoke(null, "memory:dropped", options);
        try (AutoCloseable closing = (AutoCloseable) manager) {
            Object lock = manager.getClass().getMethod("lock", String.class).invoke(closing, "a");
            Object lease = lock.getClass().getMethod("acquire", Duration.class).invoke(lock, Duration.ofSeconds(1));
            lease.getClass().getMethod("release").invoke(lease);
            // never released: lost, and logged, when the manager closes
            assertThat(lock.getClass().getMethod("acquire", Duration.class).invoke(lock, Duration.ofSeconds(1)))
                    .isNotNull();
        }
    }
}
