// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

/** A Lua script and the digest by which a server knows it. Immutable. */
final class Script {

    private final byte[] text;
    private final byte[] digest;

    /** One run of a script. */
    record Call(Script script, List<byte[]> keys, List<byte[]> arguments) {

        /** The short form, which a server understands that has seen the script before. */
        CommandArguments byDigest() {
            return command(Command.EVALSHA, script.digest);
        }

        /** The long form, which every server understands. */
        CommandArguments byText() {
            return command(Command.EVAL, script.text);
        }

        private CommandArguments command(Command command, byte[] what) {
            CommandArguments built = new CommandArguments(command).add(what).add(keys.size());
            keys.forEach(built::key);
            arguments.forEach(built::add);
            return built;
        }
    }

    private Script(byte[] text, byte[] digest) {
        this.text = text;
        this.digest = digest;
    }

    static Script of(String... parts) {
        byte[] text = String.join("\n", parts).getBytes(UTF_8);
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text);
            return new Script(text, HexFormat.of().formatHex(digest).getBytes(UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-1", e);
        }
    }

    Call on(List<String> keys, List<String> arguments) {
        return new Call(this, bytes(keys), bytes(arguments));
    }

    byte[] text() {
        return text.clone();
    }

    byte[] digest() {
        return digest.clone();
    }

    private static List<byte[]> bytes(List<String> texts) {
        List<byte[]> bytes = new ArrayList<>(texts.size());
        texts.forEach(text -> bytes.add(text.getBytes(UTF_8)));
        return bytes;
    }
}
