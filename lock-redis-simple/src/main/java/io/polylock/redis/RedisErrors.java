// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import io.polylock.LockBackendException;
import io.polylock.LockBackendException.Outcome;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisDataException;

/** What an error of Redis or Jedis says about a request: one sentence, and what is known of its outcome. */
final class RedisErrors {

    /** Redis before 7 wraps the error of a command in that of its script. */
    private static final Pattern WRAPPED = Pattern.compile("^ERR Error running script.*?: -?([A-Z]{2,}) ");

    private static final Map<String, String> LATER = Map.ofEntries(
            Map.entry("LOADING", "is loading its data"),
            Map.entry("READONLY", "is a read-only replica"),
            Map.entry("MASTERDOWN", "is a replica that has lost its master"),
            Map.entry("CLUSTERDOWN", "belongs to a cluster that is down"),
            Map.entry("TRYAGAIN", "is moving the keys of this lock"),
            Map.entry("NOREPLICAS", "has too few replicas to accept writes"),
            Map.entry("OOM", "has reached its maxmemory"),
            Map.entry("MISCONF", "accepts no writes because it cannot save its data"),
            Map.entry("BUSY", "is busy with another script"));

    private static final Map<String, String> NEVER = Map.of(
            "NOAUTH", "wants a password",
            "WRONGPASS", "refused the user name or password",
            "NOPERM", "does not permit this user what locks need (@scripting, keys and their commands)",
            "MOVED", "is a node of a cluster and keeps this lock on another node",
            "ASK", "is a node of a cluster and keeps this lock on another node");

    /** Errors without a code of their own, by what they start with after {@code ERR}. */
    private static final Map<String, String> NEVER_BY_TEXT = Map.of(
            "invalid DB index", "has no database of this number",
            "DB index is out of range", "has no database of this number",
            "SELECT is not allowed in cluster mode", "is a node of a cluster, which has only database 0",
            "AUTH <password> called without any password configured", "has no password, but one was given",
            "Client sent AUTH, but no password is set", "has no password, but one was given",
            "invalid password", "refused the password",
            "operation not permitted", "wants a password",
            "Protocol error: unauthenticated", "wants a password",
            "unknown command", "does not know a command that locks need");

    private RedisErrors() {}

    /** An error that came while a connection was being made: nothing of the request was sent. */
    static LockBackendException noConnection(String place, Throwable cause) {
        Optional<LockBackendException> told = findData(cause).flatMap(error -> told(place, error));
        if (told.isPresent()) {
            return told.get();
        }
        String why = isTimeout(cause)
                ? "no answer in time"
                : root(cause) instanceof UnknownHostException
                        ? "the host is unknown"
                        : String.valueOf(root(cause).getMessage());
        return failure(Outcome.NOT_APPLIED, "no connection to " + place + ": " + why, cause);
    }

    /** An error that the server gave in place of an answer. */
    static LockBackendException refused(String place, JedisDataException error) {
        return told(place, error)
                .orElseGet(() ->
                        failure(Outcome.UNKNOWN, place + " answered with an error: " + error.getMessage(), error));
    }

    /** An error that came after something may have been sent. */
    static LockBackendException noAnswer(String place, Throwable cause) {
        String what = isTimeout(cause)
                ? " did not answer in time"
                : " was lost during a request (" + root(cause).getMessage() + ")";
        return failure(Outcome.UNKNOWN, place + what + "; whether it was applied is unknown", cause);
    }

    static LockBackendException noTimeLeft(String place) {
        return new LockBackendException(
                Outcome.NOT_APPLIED, "the time for the answer was over before anything was sent to " + place);
    }

    static LockBackendException allInUse(String place, @Nullable Throwable cause) {
        String message = "all connections to " + place + " are in use; give the client a larger pool";
        return cause == null
                ? new LockBackendException(Outcome.NOT_APPLIED, message)
                : new LockBackendException(Outcome.NOT_APPLIED, message, cause);
    }

    /** Keeps the interrupt for the engine, which turns it into an {@link InterruptedException}. */
    static LockBackendException interrupted(String place, Throwable cause) {
        Thread.currentThread().interrupt();
        return new LockBackendException(
                Outcome.NOT_APPLIED, "interrupted while waiting for a connection to " + place, cause);
    }

    static LockBackendException strange(String place, String what) {
        return new LockBackendException(
                Outcome.UNKNOWN,
                place + " answered a lock script with " + what + "; whether the request was applied is unknown");
    }

    /** Whether other connections to the same server are as useless as the one that got this error. */
    static boolean spoilsConnection(LockBackendException failure) {
        return failure.getCause() instanceof JedisDataException error
                && (List.of("READONLY", "MASTERDOWN", "LOADING", "NOAUTH", "WRONGPASS")
                                .contains(code(error))
                        || String.valueOf(error.getMessage()).startsWith("ERR Protocol error"));
    }

    static boolean isTimeout(Throwable failure) {
        Throwable root = root(failure);
        return root instanceof SocketTimeoutException || root instanceof TimeoutException;
    }

    private static Optional<LockBackendException> told(String place, JedisDataException error) {
        String code = code(error);
        if (LATER.containsKey(code)) {
            return Optional.of(failure(Outcome.NOT_APPLIED, place + " " + LATER.get(code) + " (" + code + ")", error));
        }
        if (NEVER.containsKey(code)) {
            return Optional.of(failure(Outcome.REFUSED, place + " " + NEVER.get(code) + " (" + code + ")", error));
        }
        String text = String.valueOf(error.getMessage()).replaceFirst("^ERR ", "");
        return NEVER_BY_TEXT.entrySet().stream()
                .filter(known -> text.startsWith(known.getKey()))
                .findFirst()
                .map(known -> failure(Outcome.REFUSED, place + " " + known.getValue(), error));
    }

    private static String code(JedisDataException error) {
        String message = String.valueOf(error.getMessage());
        Matcher wrapped = WRAPPED.matcher(message);
        if (wrapped.find()) {
            return wrapped.group(1);
        }
        int space = message.indexOf(' ');
        return space < 0 ? message : message.substring(0, space);
    }

    /** Keeps the cause, unless the server repeats in it what it was sent: that can be a password. */
    private static LockBackendException failure(Outcome outcome, String message, Throwable cause) {
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (String.valueOf(each.getMessage()).contains("args beginning with")) {
                return new LockBackendException(outcome, withoutArguments(message));
            }
        }
        return new LockBackendException(outcome, withoutArguments(message), cause);
    }

    private static String withoutArguments(String message) {
        int arguments = message.indexOf(", with args beginning with");
        return arguments < 0 ? message : message.substring(0, arguments);
    }

    private static Optional<JedisDataException> findData(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof JedisDataException data) {
                return Optional.of(data);
            }
        }
        return Optional.empty();
    }

    private static Throwable root(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }
}
