import { Buffer } from 'node:buffer'
import { compareKeys, DEFAULT_LIMIT, prefixEnd } from '../listing.ts'
import type { KeyValueStore } from '../store.ts'
import type { SqliteExecutor } from './executor.ts'
import { expiresAt } from './prune.ts'
import { NEVER } from './schema.ts'

/** Limits of the key-value store in an SQLite file. When they are exceeded, the least recently written entries are evicted. */
export interface SqliteKeyValueStoreOptions {
  /** Maximum number of entries. Default: 1,000,000. */
  maxEntries?: number
  /** Maximum bytes of keys and values in UTF-8. `set` rejects a larger single entry with a `RangeError`. Default: 1 GiB. */
  maxBytes?: number
  /** Upper bound of the `ttlMs` of entries. Default: no limit. */
  maxTtlMs?: number
}

const NEXT_ID = '(SELECT coalesce(max(id), 0) + 1 FROM portcall_entries)'
const INSERT = `INSERT INTO portcall_entries (id, expires, bytes, key, value) VALUES (${NEXT_ID}, ?, ?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET id = excluded.id, expires = excluded.expires, bytes = excluded.bytes, value = excluded.value`
const INSERT_IF_ABSENT = `${INSERT} WHERE portcall_entries.expires <= ?`
const UPDATE_IF_EQUAL = `UPDATE portcall_entries SET id = ${NEXT_ID}, expires = ?, bytes = ?, value = ? WHERE key = ? AND value = ? AND expires > ?`
const GET = 'SELECT value FROM portcall_entries WHERE key = ? AND expires > ?'
const DELETE = 'DELETE FROM portcall_entries WHERE key = ?'
const DELETE_IF_EQUAL = 'DELETE FROM portcall_entries WHERE key = ? AND value = ? AND expires > ?'
/** If a prefix has no end, the range ends at an empty blob: SQLite sorts blobs after all texts. */
const LIST_FROM =
  "SELECT key FROM portcall_entries WHERE key >= ? AND key < coalesce(?, x'') AND expires > ? ORDER BY key LIMIT ?"
const LIST_AFTER = LIST_FROM.replace('>=', '>')
const COUNT = "SELECT count(*) AS count FROM portcall_entries WHERE key >= ? AND key < coalesce(?, x'') AND expires > ?"

/** Creates the key-value store of a database. */
export function createSqliteStore(
  executor: SqliteExecutor,
  options: Required<SqliteKeyValueStoreOptions>,
  now: () => number,
): KeyValueStore {
  const { maxBytes, maxTtlMs } = options

  const bytesOf = (key: string, value: string): number => {
    const bytes = Buffer.byteLength(key) + Buffer.byteLength(value)
    if (bytes > maxBytes) throw new RangeError(`The entry has ${bytes} bytes; this store is limited to ${maxBytes} (maxBytes)`)
    return bytes
  }
  const expiryOf = (ttlMs = NEVER): number => expiresAt(now(), Math.min(ttlMs, maxTtlMs))

  return {
    get: (key) => executor.read((connection) => connection.get<{ value: string }>(GET, key, now())?.value),
    async set(key, value, { ttlMs } = {}) {
      const bytes = bytesOf(key, value)
      await executor.write((connection) => connection.run(INSERT, expiryOf(ttlMs), bytes, key, value))
    },
    async delete(key) {
      await executor.write((connection) => connection.run(DELETE, key))
    },
    async compareAndSet(key, { expected, value, ttlMs }) {
      const bytes = value === undefined ? 0 : bytesOf(key, value)
      return executor.write((connection) => {
        const time = now()
        if (value === undefined && expected === undefined) return connection.get(GET, key, time) === undefined
        if (value === undefined) return connection.run(DELETE_IF_EQUAL, key, expected ?? '', time) > 0
        if (expected === undefined) return connection.run(INSERT_IF_ABSENT, expiryOf(ttlMs), bytes, key, value, time) > 0
        return connection.run(UPDATE_IF_EQUAL, expiryOf(ttlMs), bytes, value, key, expected, time) > 0
      })
    },
    list: (prefix, { after, limit = DEFAULT_LIMIT } = {}) =>
      executor.read((connection) => {
        const isInRange = after !== undefined && compareKeys(after, prefix) >= 0
        const [sql, from] = isInRange ? [LIST_AFTER, after] : [LIST_FROM, prefix]
        return connection.all<{ key: string }>(sql, from, prefixEnd(prefix), now(), limit).map(({ key }) => key)
      }),
    count: (prefix) =>
      executor.read((connection) => connection.get<{ count: number }>(COUNT, prefix, prefixEnd(prefix), now())?.count ?? 0),
  }
}
