// SPDX-License-Identifier: Apache-2.0
package io.polylock.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Who this process is. Asks no name service: that can block for seconds. */
public final class Hosts {

    private Hosts() {}

    /** Host name and process id. */
    public static String label() {
        String label = host() + ":" + ProcessHandle.current().pid();
        try {
            Checks.label(label);
            return label;
        } catch (IllegalArgumentException oddHostName) {
            return "unknown:" + ProcessHandle.current().pid();
        }
    }

    private static String host() {
        for (String variable : new String[] {"HOSTNAME", "COMPUTERNAME"}) {
            String value = System.getenv(variable);
            if (value != null && !value.isBlank()) {
                return value;
            }
        }
        try {
            String name = Files.readString(Path.of("/etc/hostname")).strip();
            return name.isEmpty() ? "unknown" : name;
        } catch (IOException absent) {
            return "unknown";
        }
    }
}
