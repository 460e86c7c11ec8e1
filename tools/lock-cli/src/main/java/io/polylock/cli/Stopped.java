// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

/**
 * A process that does not run (SIGSTOP) until it is resumed (SIGCONT). A helper process sends both signals: it continues the
 * process also if we are killed, for then its input ends.
 */
final class Stopped {

    private static final String SCRIPT =
            "trap '' HUP INT QUIT TERM; kill -STOP \"$1\" && echo stopped; read -r line; kill -CONT \"$1\"";
    private static final long LIMIT_SECONDS = 10;

    private final Process helper;

    private Stopped(Process helper) {
        this.helper = helper;
    }

    /** Stops a process; returns once the signal is sent. */
    static Stopped process(long pid) {
        try {
            Process helper = new ProcessBuilder("sh", "-c", SCRIPT, "polylock-stopped", Long.toString(pid))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            // ends at once if the signal could not be sent: then the process is gone, which shows elsewhere
            new BufferedReader(new InputStreamReader(helper.getInputStream(), UTF_8)).readLine();
            return new Stopped(helper);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot stop process " + pid, e);
        }
    }

    /** Lets the process run again. A second call does nothing. */
    void resume() {
        try {
            helper.getOutputStream().close();
            if (!helper.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                helper.destroyForcibly();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
