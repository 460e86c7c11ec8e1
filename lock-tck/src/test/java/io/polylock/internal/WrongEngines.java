// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import io.polylock.ManagerOptions;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockName;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** Engines with a defect that cannot be seeded from outside. Lives in this package to reach what is nobody else's business. */
public final class WrongEngines {

    private WrongEngines() {}

    /** An engine that takes the waiters of a lock from the wrong end. */
    public static Engine servingTheLastFirst(LockBackend backend, ManagerOptions options) {
        Engine engine = new Engine(backend, options);
        Object lines = read(engine, "lines");
        write(lines, "lines", new HashMap<LockName, Line>() {
            private static final long serialVersionUID = 1L;

            @Override
            public Line computeIfAbsent(LockName name, Function<? super LockName, ? extends Line> open) {
                return super.computeIfAbsent(name, absent -> {
                    Line line = open.apply(absent);
                    write(line, "waiters", new LastFirst<Waiter>());
                    return line;
                });
            }
        });
        return engine;
    }

    private static final class LastFirst<T> extends LinkedHashSet<T> {

        private static final long serialVersionUID = 1L;

        @Override
        public Stream<T> stream() {
            List<T> reversed = new ArrayList<>(this);
            Collections.reverse(reversed);
            return reversed.stream();
        }
    }

    private static Object read(Object owner, String field) {
        try {
            return field(owner, field).get(owner);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void write(Object owner, String field, Object value) {
        try {
            field(owner, field).set(owner, value);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Field field(Object owner, String name) {
        try {
            Field field = owner.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(e);
        }
    }
}
