// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The tests of the kit, and the rule that each of them is for. */
final class KitTests {

    private KitTests() {}

    static Stream<Method> all() {
        return groups().flatMap(group -> Arrays.stream(group.getSuperclass().getDeclaredMethods()))
                .filter(method -> method.isAnnotationPresent(Test.class));
    }

    static Class<?> groupOf(Method test) {
        return groups().filter(group -> group.getSuperclass().equals(test.getDeclaringClass()))
                .findFirst()
                .orElseThrow();
    }

    /** The number of the rule. */
    static String rule(Method test) {
        return displayName(test)[0];
    }

    /** The sentence of the rule. */
    static String claim(Method test) {
        return displayName(test)[1];
    }

    private static String[] displayName(Method test) {
        return test.getAnnotation(DisplayName.class).value().split(" ", 2);
    }

    private static Stream<Class<?>> groups() {
        return Arrays.stream(LockBackendTck.class.getDeclaredClasses())
                .filter(group -> group.isAnnotationPresent(Nested.class));
    }
}
