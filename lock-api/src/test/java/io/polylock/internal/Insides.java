// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import java.lang.reflect.Field;
import java.util.Map;

/** What an engine does not tell. */
public final class Insides {

    private static final Field PARTS = field(Engine.class, "parts");
    private static final Field UNDOS = field(Undo.class, "entries");

    private Insides() {}

    public static int outstandingUndos(Engine engine) {
        try {
            return ((Map<?, ?>) UNDOS.get(((Parts) PARTS.get(engine)).undo())).size();
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Field field(Class<?> owner, String name) {
        try {
            Field field = owner.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(e);
        }
    }
}
