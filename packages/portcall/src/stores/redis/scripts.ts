/*
 * The Lua scripts, which Redis runs atomically. All keys start with the prefix; if it contains a hash tag, they are all in one slot of a
 * cluster. Times are those of the clock of Redis.
 *
 * Store: `v:KEY` holds a value and expires by itself. Two sorted sets hold all keys: `keys` ordered by their bytes, `due` by expiry. Each
 * write removes a few expired entries, and the entries that expire first if there are too many.
 *
 * Log: `l:KEY` is a stream with the entries, `w:KEY` a hash with its state, and the sorted set `logs` holds all logs by their last write. The
 * id of an entry is its position: the time, and the total bytes of the log up to the end of the entry, counted from a random number. Because
 * of that number, positions of one log are unknown to every other log, including a later one under the same key. The hash holds the last id
 * as `end`, and for each writing process the number of its last batch with the id at which the batch began: a batch that is sent twice is
 * written once.
 */

const NOW = `
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)`

/** Removes up to `some` expired entries, or the first to expire if there are more than `max`. Returns how many it removed. */
const SWEEP = `
local function sweep(keys, due, values, max, some)
  local victims = redis.call('ZRANGEBYSCORE', due, '-inf', '(' .. now, 'LIMIT', 0, some)
  local excess = redis.call('ZCARD', due) - #victims - max
  if #victims == 0 and excess > 0 then victims = redis.call('ZRANGE', due, 0, math.min(excess, some) - 1) end
  for _, key in ipairs(victims) do
    redis.call('DEL', values .. key)
    redis.call('ZREM', keys, key)
    redis.call('ZREM', due, key)
  end
  return #victims
end`

/**
 * KEYS: value, keys, due. ARGV: key, prefix of values, maximum number of entries, time to live in ms, condition ('any', 'absent' or 'this'),
 * expected value, 'set' or 'delete', new value.
 */
export const WRITE: string = `${NOW}${SWEEP}
local key, ms = ARGV[1], tonumber(ARGV[4])
if ARGV[5] ~= 'any' then
  local current = redis.call('GET', KEYS[1])
  if ARGV[5] == 'absent' and current or ARGV[5] == 'this' and current ~= ARGV[6] then return 0 end
end
if ARGV[7] == 'delete' or ms <= 0 then
  redis.call('DEL', KEYS[1])
  redis.call('ZREM', KEYS[2], key)
  redis.call('ZREM', KEYS[3], key)
else
  local expires = string.format('%.0f', now + ms)
  redis.call('SET', KEYS[1], ARGV[8], 'PXAT', expires)
  redis.call('ZADD', KEYS[2], 0, key)
  redis.call('ZADD', KEYS[3], expires, key)
end
sweep(KEYS[2], KEYS[3], ARGV[2], tonumber(ARGV[3]), 10)
return 1`

/**
 * KEYS: keys, due. ARGV: prefix of values, start of the range, prefix, 'list' or 'count', limit. Returns nothing if there are more expired
 * entries to remove first.
 */
export const LIST: string = `${NOW}${SWEEP}
if sweep(KEYS[1], KEYS[2], ARGV[1], math.huge, 1000) == 1000 then return false end
local to = '(' .. ARGV[3] .. '\\255'
if ARGV[4] == 'count' then return redis.call('ZLEXCOUNT', KEYS[1], ARGV[2], to) end
return redis.call('ZRANGEBYLEX', KEYS[1], ARGV[2], to, 'LIMIT', 0, ARGV[5])`

/**
 * KEYS: stream, hash, logs. ARGV: key, prefix of streams, prefix of hashes, maximum entries, maximum bytes, time to live in ms, maximum number
 * of logs, writer, batch number, random start, entries.
 */
export const APPEND: string = `${NOW}
local stream, hash, logs = KEYS[1], KEYS[2], KEYS[3]
local maxEntries, maxBytes, ttl, maxLogs = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local writer, number = ARGV[8], tonumber(ARGV[9])
local function read(id)
  local time, count = string.match(id, '^(%d+)-(%d+)$')
  return tonumber(time), tonumber(count)
end
local function size(data) return #data + 100 end
local function idOf(time, count) return string.format('%.0f-%.0f', time, count) end

local lastBatch = redis.call('HGET', hash, writer)
local lastNumber, start
if lastBatch then
  lastNumber, start = string.match(lastBatch, '^(%d+) (.+)$')
  if number < tonumber(lastNumber) then return redis.error_reply('ERR this batch is out of order') end
end
local isRepeated = lastBatch and number == tonumber(lastNumber)
local last = isRepeated and start or redis.call('HGET', hash, 'end')
local time, count = read(last or idOf(now, tonumber(ARGV[10])))
if not isRepeated then
  time = math.max(time, now)
  local mark = ARGV[9] .. ' ' .. idOf(time, count)
  -- The first write must be one that Redis rejects when its memory is full: it does not interrupt a script that has written.
  redis.call('HSET', hash, writer, mark)
  if not last then redis.call('DEL', stream) end
  if redis.call('HLEN', hash) > 64 then
    redis.call('DEL', hash)
    redis.call('HSET', hash, writer, mark)
  end
end
local ids = {}
for at = 11, #ARGV do
  count = count + size(ARGV[at])
  local id = idOf(time, count)
  if not isRepeated then redis.call('XADD', stream, id, 'd', ARGV[at]) end
  ids[#ids + 1] = id
end
if isRepeated then return ids end

redis.call('HSET', hash, 'end', idOf(time, count))
redis.call('XTRIM', stream, 'MAXLEN', maxEntries)
redis.call('XTRIM', stream, 'MINID', idOf(now - ttl + 1, 0))
local first = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
while first do
  local time, endCount = read(first[1])
  if count - endCount + size(first[2][2]) <= maxBytes then break end
  redis.call('XTRIM', stream, 'MINID', idOf(time, endCount + 1))
  first = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
end
redis.call('PEXPIRE', stream, ttl)
redis.call('PEXPIRE', hash, ttl)

redis.call('ZADD', logs, now, ARGV[1])
local victims = redis.call('ZRANGEBYSCORE', logs, '-inf', now - ttl, 'LIMIT', 0, 10)
local excess = redis.call('ZCARD', logs) - #victims - maxLogs
if #victims == 0 and excess > 0 then victims = redis.call('ZRANGE', logs, 0, math.min(excess, 10) - 1) end
for _, key in ipairs(victims) do
  redis.call('DEL', ARGV[2] .. key, ARGV[3] .. key)
  redis.call('ZREM', logs, key)
end
return ids`

/** KEYS: stream, hash, logs. ARGV: key. */
export const REMOVE: string = `
redis.call('ZREM', KEYS[3], ARGV[1])
return redis.call('DEL', KEYS[1], KEYS[2])`

/** KEYS: any key. ARGV: channel, message. In a cluster, it runs on the node of the key, so that all messages are published in order. */
export const PUBLISH: string = `return redis.call('PUBLISH', ARGV[1], ARGV[2])`

export const REDIS_SCRIPTS: readonly string[] = [WRITE, LIST, APPEND, REMOVE, PUBLISH]
