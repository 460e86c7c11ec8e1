// SPDX-License-Identifier: Apache-2.0
package io.polylock.spi;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a store is and how to talk to it: {@code scheme://user:password@host:port,host:port/path?option=value&option=value},
 * or {@code scheme:path?option=value}. Parts are percent-decoded. {@link #toString()} and all messages leave out passwords
 * and the values of options. Immutable.
 */
public final class BackendUrl {

    private static final Pattern SCHEME = Pattern.compile("([a-zA-Z][a-zA-Z0-9+.-]*):(.*)", Pattern.DOTALL);
    private static final Pattern HOST =
            Pattern.compile("(\\[[0-9a-fA-F:.]+(?:%25[0-9a-zA-Z._-]+)?]|[^:\\[\\]\\s@]+)(?::([0-9]{1,5}))?");
    private static final Pattern AFTER_HOSTS = Pattern.compile("//[^/?]*[/?].*@.*", Pattern.DOTALL);
    private static final Pattern OPTION_NAME = Pattern.compile("[a-zA-Z][a-zA-Z0-9_.-]{0,39}");
    private static final Pattern HARMLESS = Pattern.compile("[^:/@;]*");
    private static final int LARGEST_PORT = 65_535;

    /**
     * One of the places that a URL names.
     *
     * @param name host name or address, without brackets
     * @param port the port, if the URL says one
     */
    public record Host(String name, OptionalInt port) {

        @Override
        public String toString() {
            String shown = name.indexOf(':') < 0 ? name : "[" + name + "]";
            return port.isPresent() ? shown + ":" + port.getAsInt() : shown;
        }
    }

    private final String scheme;
    private final String rest;
    private final Optional<String> user;
    private final Optional<String> password;
    private final List<Host> hosts;
    private final String path;
    private final Map<String, String> options;

    private BackendUrl(String scheme, String rest) {
        requireEncodedAfterHosts(scheme, rest);
        this.scheme = scheme;
        this.rest = rest;
        int question = rest.indexOf('?');
        String beforeOptions = question < 0 ? rest : rest.substring(0, question);
        this.options = question < 0 ? Map.of() : options(scheme, rest.substring(question + 1));
        if (beforeOptions.startsWith("//")) {
            String hierarchy = beforeOptions.substring(2);
            int slash = hierarchy.indexOf('/');
            String authority = slash < 0 ? hierarchy : hierarchy.substring(0, slash);
            int at = authority.lastIndexOf('@');
            Optional<String> userInfo = at < 0 ? Optional.empty() : Optional.of(authority.substring(0, at));
            this.user = userInfo.map(
                            info -> decoded(info.indexOf(':') < 0 ? info : info.substring(0, info.indexOf(':'))))
                    .filter(name -> !name.isEmpty());
            this.password = userInfo.filter(info -> info.indexOf(':') >= 0)
                    .map(info -> decoded(info.substring(info.indexOf(':') + 1)));
            this.hosts = hosts(scheme, authority.substring(at + 1));
            this.path = slash < 0 ? "" : decoded(hierarchy.substring(slash + 1));
        } else {
            this.user = Optional.empty();
            this.password = Optional.empty();
            this.hosts = List.of();
            this.path = decoded(beforeOptions);
        }
    }

    /**
     * Reads a URL.
     *
     * @param text the URL
     * @throws IllegalArgumentException if it has no scheme, a host or port that cannot be, or an option twice; the message
     *     does not show the text, which may hold a password
     */
    public static BackendUrl parse(String text) {
        Matcher matcher = SCHEME.matcher(Objects.requireNonNull(text, "url").strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "a lock URL must start with a scheme, such as redis://host:port or memory:name");
        }
        return new BackendUrl(matcher.group(1).toLowerCase(Locale.ROOT), matcher.group(2));
    }

    /** What comes before the first colon, in lower case. */
    public String scheme() {
        return scheme;
    }

    /** What comes after the first colon, as it was written: may hold a password, so it must never be shown. */
    public String rest() {
        return rest;
    }

    /** The user, if one is named. */
    public Optional<String> user() {
        return user;
    }

    /** The password, if one is given. */
    public Optional<String> password() {
        return password;
    }

    /** The places that are named; empty in a URL without {@code //}. */
    public List<Host> hosts() {
        return hosts;
    }

    /** What comes after the hosts without the slash, or after the scheme in a URL without {@code //}; may be empty. */
    public String path() {
        return path;
    }

    /** The options, in the order in which they were written. */
    public Map<String, String> options() {
        return options;
    }

    /**
     * Refuses options that a backend does not know.
     *
     * @param known the names of all options of the backend
     * @throws IllegalArgumentException if there is another one; the message names it and the known ones
     */
    public void requireOptions(Set<String> known) {
        for (String option : options.keySet()) {
            if (!known.contains(option)) {
                throw new IllegalArgumentException(
                        "unknown option '" + shownName(option) + "' in a " + scheme + " URL; known options: "
                                + (known.isEmpty() ? "none" : String.join(", ", new TreeSet<>(known))));
            }
        }
    }

    /** An '@' there may end a password with a '/' or '?' in it, of which path and options would show a part. */
    private static void requireEncodedAfterHosts(String scheme, String rest) {
        if (AFTER_HOSTS.matcher(rest).matches()) {
            throw new IllegalArgumentException(
                    "a " + scheme + " URL must not have an '@' after its hosts; '@', ':', '/'"
                            + " and '?' in a user name, password, path or option must be percent-encoded");
        }
    }

    /** What stands in an option's place may be a part of a password. */
    private static String shownName(String option) {
        return OPTION_NAME.matcher(option).matches() ? option : "…";
    }

    /** A path may be a URL of another kind, with a password in it: only what comes before its first mark is shown. */
    private String shownPath() {
        if (HARMLESS.matcher(path).matches()) {
            return path;
        }
        String first = path.split("[:/@;]", 2)[0];
        boolean mayBePassword = path.indexOf('@') >= 0 && !path.startsWith(first + ":");
        return (mayBePassword ? "" : first) + "…";
    }

    private static List<Host> hosts(String scheme, String text) {
        List<Host> hosts = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            Matcher matcher = HOST.matcher(part);
            if (!matcher.matches()) {
                throw new IllegalArgumentException(
                        "a " + scheme + " URL must name its hosts as host:port, separated by commas, and"
                                + " '@', ':' and '/' in a user name or password must be percent-encoded");
            }
            String name = decoded(matcher.group(1));
            hosts.add(new Host(
                    name.startsWith("[") ? name.substring(1, name.length() - 1) : name, port(matcher.group(2))));
        }
        return List.copyOf(hosts);
    }

    private static OptionalInt port(String digits) {
        if (digits == null) {
            return OptionalInt.empty();
        }
        int port = Integer.parseInt(digits);
        if (port < 1 || port > LARGEST_PORT) {
            throw new IllegalArgumentException("a port must be 1 to " + LARGEST_PORT + " but was " + port);
        }
        return OptionalInt.of(port);
    }

    private static Map<String, String> options(String scheme, String query) {
        Map<String, String> options = new LinkedHashMap<>();
        for (String part : query.split("&", -1)) {
            if (part.isEmpty()) {
                continue;
            }
            int equals = part.indexOf('=');
            String name = decoded(equals < 0 ? part : part.substring(0, equals));
            if (options.putIfAbsent(name, equals < 0 ? "" : decoded(part.substring(equals + 1))) != null) {
                throw new IllegalArgumentException(
                        "option '" + shownName(name) + "' stands twice in a " + scheme + " URL");
            }
        }
        return Collections.unmodifiableMap(options);
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            throw new IllegalArgumentException("a lock URL has a '%' that is not followed by two hexadecimal digits");
        }
    }

    @Override
    public String toString() {
        StringBuilder shown = new StringBuilder(scheme).append(':');
        if (hosts.isEmpty()) {
            shown.append(shownPath());
        } else {
            shown.append("//");
            // a user without a password may be a password without its colon
            user.ifPresent(
                    name -> shown.append(password.isPresent() ? name : "…").append('@'));
            shown.append(String.join(",", hosts.stream().map(Host::toString).toList()));
            if (!path.isEmpty()) {
                shown.append('/').append(path);
            }
        }
        return options.isEmpty() ? shown.toString() : shown.append("?…").toString();
    }
}
