// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import io.polylock.LockBackendException;
import java.util.List;

/** Runs scripts on one Redis, each once. Thread-safe. */
interface ScriptRunner extends AutoCloseable {

    /** What came back for one script of several. */
    sealed interface Result {

        /** The server's answer. */
        record Reply(Object value) implements Result {}

        /** No answer. */
        record Failed(LockBackendException failure) implements Result {}
    }

    /** Runs a script; a {@code null} that the server sent comes back as {@link Reply#NOTHING}. */
    Object run(Script.Call call, Deadline deadline);

    /** Runs several scripts, each as {@link #run} does, in as few round trips as can be. */
    List<Result> runAll(List<Script.Call> calls, Deadline deadline);

    /** Where the server is, for messages. */
    String place();

    @Override
    void close();
}
