// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

/**
 * The atomic steps. Each checks everything before its first write, so that an error leaves nothing half done; each is one
 * request. Numbers that may be large travel as text, because Lua counts in doubles and Redis would cut them.
 *
 * <p>The companion of a lock is the string {@code token owner label}: the fencing token of the last grant, the first eight
 * digits of the owner token that got it, and its label.
 *
 * <p>Who waits for a lock stands in a list of channels beside it, each the only one of a backend. What is done to this list
 * comes last and by {@code pcall}: a missing permission or a foreign value there must not spoil what the lock itself became.
 * The list never outlives the lock's record by more than ten seconds, so that nothing stays of those who have gone.
 */
final class RedisScripts {

    /** An answer that is no answer: something foreign lies at the companion's key. */
    static final long FOREIGN_COMPANION = -10;

    /** The same for the incarnation's key. */
    static final long FOREIGN_INCARNATION = -12;

    /** The same for the list of those who wait. */
    static final long FOREIGN_WAITING = -13;

    /** The fencing counter has reached 2^53. */
    static final long COUNTER_FULL = -11;

    /** What a contended lock answers in place of a time if its record has no end. */
    static final long NO_END = -1;

    // HELD, ABSENT, OTHER_OWNER
    static final long HELD = 1;
    static final long ABSENT = 0;
    static final long OTHER_OWNER = -1;

    // what a watch found
    static final long WATCHED_HELD = 0;
    static final long WATCHED_FREE = 1;

    // CONFIRMED, NOT_OWNER, OUTDATED, AHEAD_OF_CLOCK, FORGOTTEN
    static final long CONFIRMED = 1;
    static final long NOT_OWNER = 0;
    static final long OUTDATED = -1;
    static final long AHEAD_OF_CLOCK = -2;
    static final long FORGOTTEN = -3;

    /** Reads a string; a key of another type yields the second argument, any other error is raised again. */
    private static final String READ =
            """
            local function read(key, foreign)
              local value = redis.pcall('get', key)
              if type(value) ~= 'table' then
                return value
              end
              if string.find(value.err, 'WRONGTYPE', 1, true) then
                return foreign
              end
              return redis.call('get', key)
            end
            local function text(number)
              return string.format('%.0f', number)
            end
            """;

    /** Goes on only if the lock is the owner's. */
    private static final String OWNED =
            """
            local held = read(KEYS[1], '')
            if not held then
              return 0
            end
            if held ~= ARGV[1] then
              return -1
            end
            """;

    /** The token that goes with a grant; nothing is written yet. Wants {@code held}, what the lock key holds. */
    private static final String MINT =
            """
            local time = redis.call('time')
            local now = time[1] * 1000000 + time[2]
            local kept = read(KEYS[2], '')
            local token = kept and tonumber(string.match(kept, '^(%d+) %x+ '))
            if kept and not token then
              return -10
            end
            local left = tonumber(ARGV[2])
            if held == ARGV[1] then
              left = math.max(left, redis.call('pttl', KEYS[1]))
            end
            if not (token and held == ARGV[1]) then
              token = math.max((token or 0) + 1, now)
            end
            if token >= 9007199254740992 then
              return -11
            end
            """;

    /** Stores the grant. The counter comes first: if the second write were refused, a gap in the tokens is all that stays. */
    private static final String GRANT =
            """
            local keep = math.max(left, math.ceil((token - now) / 1000)) + ARGV[4]
            redis.call('set', KEYS[2], text(token) .. ' ' .. string.sub(ARGV[1], 1, 8) .. ' ' .. ARGV[3], 'px', text(keep))
            redis.call('set', KEYS[1], ARGV[1], 'px', text(left))
            keep_waiting(left)
            """;

    /** Makes the list of those who wait, if there is one, last as long as the lock's record. */
    private static final String KEEP_WAITING =
            """
            local function keep_waiting(millis)
              local waiting = redis.pcall('llen', KEYS[3])
              if type(waiting) == 'number' and waiting > 0 then
                redis.pcall('pexpire', KEYS[3], text(millis))
              end
            end
            """;

    /** Puts a channel into the list by RPUSH or LPUSH unless it is in it. Answers false, or the error that kept it out. */
    private static final String STAND_IN_LINE =
            """
            local function stand_in_line(channel, push)
              local waiting = redis.pcall('lrange', KEYS[3], 0, -1)
              if waiting.err then
                return waiting
              end
              local standing = false
              for _, each in ipairs(waiting) do
                standing = standing or each == channel
              end
              if not standing then
                local pushed = redis.pcall(push, KEYS[3], channel)
                if type(pushed) ~= 'number' then
                  return pushed
                end
              end
              local left = redis.call('pttl', KEYS[1])
              redis.pcall('pexpire', KEYS[3], left < 0 and 10000 or math.max(1, left))
              return false
            end
            """;

    /**
     * Signals to the first of those who wait that hears it. A channel given as own, the releaser's if it waits itself, gets
     * its turn only if nobody else is there, and stands in line again in any case: so it learns after each of its leases
     * whether it is alone.
     */
    private static final String SIGNAL =
            """
            local function signal(line, own)
              local passed_by = false
              local first = redis.pcall('lpop', line)
              while type(first) == 'string' do
                if first == own then
                  passed_by = true
                elseif redis.pcall('publish', first, KEYS[1]) ~= 0 then
                  break
                end
                first = redis.pcall('lpop', line)
              end
              if passed_by and type(first) ~= 'string' then
                redis.pcall('publish', own, KEYS[1])
              end
              if passed_by then
                redis.pcall('rpush', line, own)
              end
              local waiting = redis.pcall('llen', line)
              if type(waiting) == 'number' and waiting > 0 then
                local left = redis.pcall('pttl', line)
                if left == -1 or type(left) == 'number' and left > 10000 then
                  redis.pcall('pexpire', line, 10000)
                end
              end
            end
            """;

    /*
     * KEYS: 1 lock, 2 companion, 3 list of those who wait. ARGV: 1 owner token, 2 TTL in ms, 3 label, 4 retention in ms,
     * and if we wait for this lock 5 our channel, 6 the command that puts it into the list.
     * Answers the fencing token as text, or what is left of the holder's TTL in ms as a number.
     */
    static final Script ACQUIRE = Script.of(
            READ,
            KEEP_WAITING,
            STAND_IN_LINE,
            """
            local held = read(KEYS[1], '')
            if held and held ~= ARGV[1] then
              local left = redis.call('pttl', KEYS[1])
              if ARGV[5] then
                stand_in_line(ARGV[5], ARGV[6])
              end
              return left
            end
            """,
            MINT,
            GRANT,
            "return text(token)");

    /*
     * KEYS: 1 lock, 2 companion, 3 list of those who wait. ARGV: 1 to 4 as in ACQUIRE, 5 owner token of the giver.
     * Answers as ACQUIRE; -1 also if nobody holds the lock.
     */
    static final Script HAND_OVER = Script.of(
            READ,
            KEEP_WAITING,
            """
            local held = read(KEYS[1], '')
            if not held then
              return -1
            end
            if held ~= ARGV[1] and held ~= ARGV[5] then
              return redis.call('pttl', KEYS[1])
            end
            """,
            MINT,
            GRANT,
            "return text(token)");

    /*
     * KEYS: 1 lock, 2 companion, 3 list of those who wait, 4 incarnation. ARGV: 1 to 4 as in ACQUIRE, 5 owner token of the
     * giver or empty, 6 an incarnation id to use if there is none.
     * Answers {token, incarnation id, its age in us, the clock in us}, all as text, or what is left of the holder's TTL.
     */
    static final Script JOIN = Script.of(
            READ,
            KEEP_WAITING,
            """
            local held = read(KEYS[1], '')
            if held and held ~= ARGV[1] and (ARGV[5] == '' or held ~= ARGV[5]) then
              return redis.call('pttl', KEYS[1])
            end
            """,
            MINT,
            """
            local memory = read(KEYS[4], '')
            local id, since = ARGV[6], now
            if memory then
              id, since = string.match(memory, '^([%w-]+) (%d+)$')
              if not id then
                return -12
              end
            else
              redis.call('set', KEYS[4], id .. ' ' .. text(now))
            end
            """,
            GRANT,
            "return {text(token), id, text(math.max(0, now - since)), text(now)}");

    /*
     * KEYS: 1 lock, 2 companion, 3 incarnation. ARGV: 1 owner token, 2 token to confirm, 3 label, 4 retention in ms,
     * 5 largest skew in us, 6 the incarnation that joined.
     * Answers 1 confirmed, 0 not the owner, -1 outdated, -2 ahead of the clock, -3 forgotten since the join.
     */
    static final Script CONFIRM = Script.of(
            READ,
            """
            if read(KEYS[1], '') ~= ARGV[1] then
              return 0
            end
            local token = tonumber(ARGV[2])
            local kept = read(KEYS[2], '')
            local stored = kept and tonumber(string.match(kept, '^(%d+) %x+ '))
            if kept and not stored then
              return -10
            end
            local memory = read(KEYS[3], '')
            if not kept or not memory or string.match(memory, '^[%w-]+') ~= ARGV[6] then
              return -3
            end
            if stored > token then
              return -1
            end
            local time = redis.call('time')
            local now = time[1] * 1000000 + time[2]
            if token - now > tonumber(ARGV[5]) then
              return -2
            end
            local left = redis.call('pttl', KEYS[1])
            local keep = math.max(left, math.ceil((token - now) / 1000)) + ARGV[4]
            redis.call('set', KEYS[2], ARGV[2] .. ' ' .. string.sub(ARGV[1], 1, 8) .. ' ' .. ARGV[3], 'px', text(keep))
            return 1
            """);

    /*
     * KEYS: 1 lock, 2 companion, 3 list of those who wait. ARGV: 1 owner token, 2 TTL in ms, 3 retention in ms.
     * Answers 1 held and renewed, 0 absent, -1 another owner. Neither expiry is ever brought nearer.
     */
    static final Script RENEW = Script.of(
            READ,
            KEEP_WAITING,
            OWNED,
            """
            local keep = ARGV[2] + ARGV[3]
            local kept = redis.call('pttl', KEYS[2])
            if kept >= 0 and kept < keep then
              redis.call('pexpire', KEYS[2], text(keep))
            end
            if redis.call('pttl', KEYS[1]) < tonumber(ARGV[2]) then
              redis.call('pexpire', KEYS[1], ARGV[2])
              keep_waiting(tonumber(ARGV[2]))
            end
            return 1
            """);

    /*
     * KEYS: 1 lock, 2 list of those who wait. ARGV: 1 owner token, and if we wait for this lock 2 our channel.
     * Answers 1 held and freed, 0 absent, -1 another owner. The companion stays: it was kept long enough at the grant.
     */
    static final Script RELEASE = Script.of(
            READ,
            SIGNAL,
            OWNED,
            """
            redis.call('del', KEYS[1])
            signal(KEYS[2], ARGV[2])
            return 1
            """);

    /*
     * KEYS: 1 lock, 2 companion, 3 list of those who wait. ARGV: 1 our channel.
     * Answers 0 standing in line, 1 the same and the lock is free, or that something foreign is at the list's key.
     */
    static final Script WATCH = Script.of(
            READ,
            STAND_IN_LINE,
            """
            local failure = stand_in_line(ARGV[1], 'rpush')
            if failure then
              return string.find(failure.err, 'WRONGTYPE', 1, true) and -13 or failure
            end
            return read(KEYS[1], '') and 0 or 1
            """);

    /*
     * KEYS: 1 lock, 2 list of those who wait.
     * Signals once more if the lock is free: whoever was signalled does not want it any more.
     */
    static final Script PASS_ON = Script.of(
            READ,
            SIGNAL,
            """
            if not read(KEYS[1], '') then
              signal(KEYS[2])
            end
            return 0
            """);

    private static final String LOOK =
            """
            local held = redis.call('type', KEYS[1]).ok
            if held == 'none' then
              return false
            end
            local found = {held, held == 'string' and redis.call('get', KEYS[1]), redis.call('pttl', KEYS[1]), read(KEYS[2], '')}
            """;

    /*
     * KEYS: 1 lock, 2 companion.
     * Answers {type, value, TTL in ms, companion}, or nothing.
     */
    static final Script INSPECT = Script.of(READ, LOOK, "return found");

    /*
     * KEYS: 1 lock, 2 companion, 3 list of those who wait.
     * Answers as INSPECT. Deletes nothing but strings.
     */
    static final Script REVOKE = Script.of(
            READ,
            SIGNAL,
            LOOK,
            """
            if held == 'string' then
              redis.call('del', KEYS[1])
              signal(KEYS[3])
            end
            return found
            """);

    /*
     * ARGV: 1 cursor, 2 pattern, 3 how many to look for.
     * Answers {next cursor, {{key, type, first characters of the value, TTL in ms}, ...}}. Ends after a few thousand keys
     * also if it has found fewer, so that others do not wait.
     */
    static final Script SCAN = Script.of(
            """
            local cursor, found, steps = ARGV[1], {}, 0
            repeat
              local page = redis.call('scan', cursor, 'match', ARGV[2], 'count', ARGV[3])
              cursor = page[1]
              for _, key in ipairs(page[2]) do
                local kind = redis.call('type', key).ok
                if kind ~= 'none' then
                  found[#found + 1] = {key, kind, kind == 'string' and redis.call('getrange', key, 0, 31), redis.call('pttl', key)}
                end
              end
              steps = steps + 1
            until cursor == '0' or #found >= tonumber(ARGV[3]) or steps * ARGV[3] >= 4000
            return {cursor, found}
            """);

    /*
     * KEYS: companions.
     * Answers what they hold, in the same order.
     */
    static final Script COMPANIONS = Script.of(
            READ,
            """
            local kept = {}
            for i, key in ipairs(KEYS) do
              kept[i] = read(key, '')
            end
            return kept
            """);

    private RedisScripts() {}
}
