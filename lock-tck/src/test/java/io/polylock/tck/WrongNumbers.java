// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import io.polylock.internal.Numbers;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** The engine's numbers with some of them wrong. */
final class WrongNumbers {

    private WrongNumbers() {}

    static Numbers drift(int permille, Duration fixed) {
        return with(Map.of("driftPermille", permille, "driftFixed", fixed));
    }

    static Numbers renewals(int perTtl) {
        return with(Map.of("renewalsPerTtl", perTtl, "renewalJitter", 0.0));
    }

    /** All pauses of waiters. */
    static Numbers polls(Duration each) {
        return with(Map.of("firstPoll", each, "pollCeiling", each, "safetyPoll", each));
    }

    static Numbers safetyPolls(Duration each) {
        return with(Map.of("safetyPoll", each));
    }

    static Numbers pollJitter(double fraction) {
        return with(Map.of("pollJitter", fraction));
    }

    static Numbers runs(int handovers, Duration time) {
        return with(Map.of("longestRun", handovers, "longestRunTime", time));
    }

    /** By name, so that numbers may come and go. */
    private static Numbers with(Map<String, Object> wrong) {
        RecordComponent[] components = Numbers.class.getRecordComponents();
        Map<String, Object> unused = new HashMap<>(wrong);
        try {
            Object[] values = new Object[components.length];
            for (int i = 0; i < components.length; i++) {
                Object seeded = unused.remove(components[i].getName());
                values[i] = seeded == null ? components[i].getAccessor().invoke(Numbers.DEFAULTS) : seeded;
            }
            if (!unused.isEmpty()) {
                throw new IllegalStateException("no such numbers: " + unused.keySet());
            }
            Class<?>[] types =
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
            Constructor<Numbers> constructor = Numbers.class.getConstructor(types);
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
