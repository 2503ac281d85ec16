/*
 * What Redis does atomically. All keys begin with the prefix; where it holds a hash tag, all are in one slot of a cluster. Redis tells the
 * time.
 *
 * Store: `v:KEY` holds a value and expires by itself. Two sorted sets hold all keys: `keys` in the order of their bytes, `due` by when they
 * expire. Each write takes out a few that are due, and those that are due first when there are too many.
 *
 * Log: `l:KEY` is a stream with the entries, `w:KEY` a hash beside it, and the sorted set `logs` has all logs by when they were written to.
 * The id of an entry is its position: the time, and how many bytes there were in the log up to its end, counted from a random number. That
 * number makes ids of one log unknown to every other, those after it under the same key included. The hash holds the last id as `end`, and
 * for each process that writes, the number of its last batch with the id that it began at: a batch that comes twice is written once.
 */

const NOW = `
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)`

/** Takes keys out that are due, or too many; a call takes time for `some` of them. Tells how many it found. */
const SWEEP = `
local function sweep(keys, due, values, most, some)
  local gone = redis.call('ZRANGEBYSCORE', due, '-inf', '(' .. now, 'LIMIT', 0, some)
  local over = redis.call('ZCARD', due) - #gone - most
  if #gone == 0 and over > 0 then gone = redis.call('ZRANGE', due, 0, math.min(over, some) - 1) end
  for _, key in ipairs(gone) do
    redis.call('DEL', values .. key)
    redis.call('ZREM', keys, key)
    redis.call('ZREM', due, key)
  end
  return #gone
end`

/** KEYS value, keys, due. ARGV key, prefix of values, most keys, ms to stay, 'any', 'absent' or 'this', which, 'set' or 'delete', value. */
export const WRITE: string = `${NOW}${SWEEP}
local key, ms = ARGV[1], tonumber(ARGV[4])
if ARGV[5] ~= 'any' then
  local found = redis.call('GET', KEYS[1])
  if ARGV[5] == 'absent' and found or ARGV[5] == 'this' and found ~= ARGV[6] then return 0 end
end
if ARGV[7] == 'delete' or ms <= 0 then
  redis.call('DEL', KEYS[1])
  redis.call('ZREM', KEYS[2], key)
  redis.call('ZREM', KEYS[3], key)
else
  local till = string.format('%.0f', now + ms)
  redis.call('SET', KEYS[1], ARGV[8], 'PXAT', till)
  redis.call('ZADD', KEYS[2], 0, key)
  redis.call('ZADD', KEYS[3], till, key)
end
sweep(KEYS[2], KEYS[3], ARGV[2], tonumber(ARGV[3]), 10)
return 1`

/** KEYS keys, due. ARGV prefix of values, from, prefix, 'list' or 'count', limit. Nothing when more has to be swept first. */
export const LIST: string = `${NOW}${SWEEP}
if sweep(KEYS[1], KEYS[2], ARGV[1], math.huge, 1000) == 1000 then return false end
local to = '(' .. ARGV[3] .. '\\255'
if ARGV[4] == 'count' then return redis.call('ZLEXCOUNT', KEYS[1], ARGV[2], to) end
return redis.call('ZRANGEBYLEX', KEYS[1], ARGV[2], to, 'LIMIT', 0, ARGV[5])`

/**
 * KEYS stream, hash, logs. ARGV key, prefixes of streams and of hashes, most entries, most bytes, ms to stay, most logs, writer, number of
 * the batch, random number, entries.
 */
export const APPEND: string = `${NOW}
local stream, hash, logs = KEYS[1], KEYS[2], KEYS[3]
local mostEntries, mostBytes, stay, mostLogs = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local writer, number = ARGV[8], tonumber(ARGV[9])
local function read(id)
  local time, count = string.match(id, '^(%d+)-(%d+)$')
  return tonumber(time), tonumber(count)
end
local function size(data) return #data + 100 end
local function idOf(time, count) return string.format('%.0f-%.0f', time, count) end

local known = redis.call('HGET', hash, writer)
local done, begun
if known then
  done, begun = string.match(known, '^(%d+) (.+)$')
  if number < tonumber(done) then return redis.error_reply('ERR this batch is late') end
end
local again = known and number == tonumber(done)
local last = again and begun or redis.call('HGET', hash, 'end')
local time, count = read(last or idOf(now, tonumber(ARGV[10])))
if not again then
  time = math.max(time, now)
  local mark = ARGV[9] .. ' ' .. idOf(time, count)
  -- The first write has to be one that a full Redis refuses: it lets a script finish what it has begun.
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
  if not again then redis.call('XADD', stream, id, 'd', ARGV[at]) end
  ids[#ids + 1] = id
end
if again then return ids end

redis.call('HSET', hash, 'end', idOf(time, count))
redis.call('XTRIM', stream, 'MAXLEN', mostEntries)
redis.call('XTRIM', stream, 'MINID', idOf(now - stay + 1, 0))
local first = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
while first do
  local time, till = read(first[1])
  if count - till + size(first[2][2]) <= mostBytes then break end
  redis.call('XTRIM', stream, 'MINID', idOf(time, till + 1))
  first = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
end
redis.call('PEXPIRE', stream, stay)
redis.call('PEXPIRE', hash, stay)

redis.call('ZADD', logs, now, ARGV[1])
local gone = redis.call('ZRANGEBYSCORE', logs, '-inf', now - stay, 'LIMIT', 0, 10)
local over = redis.call('ZCARD', logs) - #gone - mostLogs
if #gone == 0 and over > 0 then gone = redis.call('ZRANGE', logs, 0, math.min(over, 10) - 1) end
for _, key in ipairs(gone) do
  redis.call('DEL', ARGV[2] .. key, ARGV[3] .. key)
  redis.call('ZREM', logs, key)
end
return ids`

/** KEYS stream, hash, logs. ARGV key. */
export const REMOVE: string = `
redis.call('ZREM', KEYS[3], ARGV[1])
return redis.call('DEL', KEYS[1], KEYS[2])`

/** KEYS any. ARGV channel, message. A cluster says it at the node of the key, where all is said in order. */
export const PUBLISH: string = `return redis.call('PUBLISH', ARGV[1], ARGV[2])`

export const SCRIPTS: readonly string[] = [WRITE, LIST, APPEND, REMOVE, PUBLISH]
