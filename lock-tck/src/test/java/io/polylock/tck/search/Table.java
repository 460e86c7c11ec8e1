// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck.search;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Numbers for values: equal values have one number. */
final class Table<T> {

    private final Map<T, Integer> numbers = new HashMap<>();
    private final List<T> values = new ArrayList<>();

    int number(T value) {
        Integer known = numbers.putIfAbsent(value, values.size());
        if (known != null) {
            return known;
        }
        values.add(value);
        return values.size() - 1;
    }

    T value(int number) {
        return values.get(number);
    }
}
