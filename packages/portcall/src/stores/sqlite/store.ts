import { Buffer } from 'node:buffer'
import { compareKeys, DEFAULT_LIMIT, prefixEnd } from '../listing.ts'
import type { Store } from '../store.ts'
import type { Connection } from './connection.ts'
import { NEVER } from './schema.ts'
import { expiry } from './tidy.ts'

/** The bounds of the entries in a file. When they are reached, those that were written longest ago make room. */
export interface SqliteStoreOptions {
  /** Default: 1,000,000. */
  maxEntries?: number
  /** Bytes of keys and values in UTF-8. A larger single entry is refused. Default: 1 GiB. */
  maxBytes?: number
  /** How long an entry stays at the most, whatever its `ttlMs`. Default: no such limit. */
  maxAgeMs?: number
}

const NEXT = '(SELECT coalesce(max(id), 0) + 1 FROM portcall_entries)'
const INSERT = `INSERT INTO portcall_entries (id, expires, bytes, key, value) VALUES (${NEXT}, ?, ?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET id = excluded.id, expires = excluded.expires, bytes = excluded.bytes, value = excluded.value`
const INSERT_ABSENT = `${INSERT} WHERE portcall_entries.expires <= ?`
const UPDATE = `UPDATE portcall_entries SET id = ${NEXT}, expires = ?, bytes = ?, value = ? WHERE key = ? AND value = ? AND expires > ?`
const GET = 'SELECT value FROM portcall_entries WHERE key = ? AND expires > ?'
const DELETE = 'DELETE FROM portcall_entries WHERE key = ?'
const DELETE_EXPECTED = 'DELETE FROM portcall_entries WHERE key = ? AND value = ? AND expires > ?'
/** No text is behind a blob: that is the end where a prefix has none. */
const LIST_FROM =
  "SELECT key FROM portcall_entries WHERE key >= ? AND key < coalesce(?, x'') AND expires > ? ORDER BY key LIMIT ?"
const LIST_AFTER = LIST_FROM.replace('>=', '>')
const COUNT = "SELECT count(*) AS count FROM portcall_entries WHERE key >= ? AND key < coalesce(?, x'') AND expires > ?"

/** Makes the store of a database. */
export function createSqliteStore(connection: Connection, options: Required<SqliteStoreOptions>, now: () => number): Store {
  const { maxBytes, maxAgeMs } = options

  const bytesOf = (key: string, value: string): number => {
    const bytes = Buffer.byteLength(key) + Buffer.byteLength(value)
    if (bytes > maxBytes) throw new RangeError(`The entry has ${bytes} bytes; this store holds ${maxBytes}`)
    return bytes
  }
  const expiryOf = (ttlMs = NEVER): number => expiry(now(), Math.min(ttlMs, maxAgeMs))

  return {
    get: (key) => connection.read((session) => session.get<{ value: string }>(GET, key, now())?.value),
    async set(key, value, { ttlMs } = {}) {
      const bytes = bytesOf(key, value)
      await connection.write((session) => session.run(INSERT, expiryOf(ttlMs), bytes, key, value))
    },
    async delete(key) {
      await connection.write((session) => session.run(DELETE, key))
    },
    async swap(key, { expected, value, ttlMs }) {
      const bytes = value === undefined ? 0 : bytesOf(key, value)
      return connection.write((session) => {
        const time = now()
        if (value === undefined && expected === undefined) return session.get(GET, key, time) === undefined
        if (value === undefined) return session.run(DELETE_EXPECTED, key, expected ?? '', time) > 0
        if (expected === undefined) return session.run(INSERT_ABSENT, expiryOf(ttlMs), bytes, key, value, time) > 0
        return session.run(UPDATE, expiryOf(ttlMs), bytes, value, key, expected, time) > 0
      })
    },
    list: (prefix, { after, limit = DEFAULT_LIMIT } = {}) =>
      connection.read((session) => {
        const isBehind = after !== undefined && compareKeys(after, prefix) >= 0
        const [sql, from] = isBehind ? [LIST_AFTER, after] : [LIST_FROM, prefix]
        return session.all<{ key: string }>(sql, from, prefixEnd(prefix), now(), limit).map(({ key }) => key)
      }),
    count: (prefix) =>
      connection.read((session) => session.get<{ count: number }>(COUNT, prefix, prefixEnd(prefix), now())?.count ?? 0),
  }
}
