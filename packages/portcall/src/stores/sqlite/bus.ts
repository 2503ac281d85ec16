import { Buffer } from 'node:buffer'
import { clearInterval, setInterval } from 'node:timers'
import { MAX_TIMER_MS } from '../../../../util/src/timers.ts'
import type { Bus, BusOptions } from '../bus.ts'
import { createSubscribers } from '../subscribers.ts'
import type { SqliteConnection } from './connection.ts'
import type { SqliteExecutor } from './executor.ts'
import { expiresAt } from './prune.ts'

/** Options of the bus in an SQLite file. */
export interface SqliteBusOptions extends BusOptions {
  /** How often the file is polled for messages of other processes while there are subscriptions. Default: 50. */
  pollIntervalMs?: number
  /** Time to live of a message: a process that was suspended for longer misses messages. Default: 60,000. */
  messageTtlMs?: number
  /** Maximum number of stored messages; the oldest are deleted, delivered or not. Default: 10,000. */
  maxMessages?: number
  /** Maximum bytes of stored messages and their topics in UTF-8. `publish` rejects a larger single message with a `RangeError`. Default: 16 MiB. */
  maxBytes?: number
}

/** A bus that must be closed. */
export interface SqliteBus extends Bus {
  close(): void
}

interface StoredMessage {
  readonly id: number
  readonly topic: string
  readonly message: string
}

const PAGE_SIZE = 500
const INSERT = 'INSERT INTO portcall_messages (expires, bytes, topic, message) VALUES (?, ?, ?, ?)'
const READ_LAST_ID = 'SELECT coalesce(max(id), 0) AS id FROM portcall_messages'
const READ_LAST_EVER = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'portcall_messages'), 0) AS id"
const READ_AFTER = `SELECT id, topic, message FROM portcall_messages WHERE id > ? ORDER BY id LIMIT ${PAGE_SIZE}`
const READ_DATA_VERSION = 'PRAGMA data_version'

/**
 * Creates the bus of a database. All messages are stored in one table and delivered in its order. Messages of this process are delivered as
 * soon as they are written; the table is read for others when SQLite's `data_version` shows that another process has written.
 */
export function createSqliteBus(
  executor: SqliteExecutor,
  options: Required<Omit<SqliteBusOptions, 'onError'>> & BusOptions,
  now: () => number,
): SqliteBus {
  const { pollIntervalMs, messageTtlMs, maxBytes } = options
  const subscribers = createSubscribers(options)
  let lastId = 0
  let lastRead: { connection: SqliteConnection; dataVersion: number } | undefined
  let pollTimer: ReturnType<typeof setInterval> | undefined
  let isPolling = false

  const deliverNew = (connection: SqliteConnection): void => {
    const readPage = (): StoredMessage[] => connection.all<StoredMessage>(READ_AFTER, lastId)
    for (let messages = readPage(); messages.length > 0; messages = readPage()) {
      for (const { id, topic, message } of messages) {
        lastId = id
        subscribers.deliver(topic, message)
      }
    }
  }
  const deliverIfChanged = (connection: SqliteConnection): void => {
    const dataVersion = connection.get<{ data_version: number }>(READ_DATA_VERSION)?.data_version ?? 0
    if (lastRead?.connection === connection && lastRead.dataVersion === dataVersion) return
    // The numbers of another file begin again.
    if (lastRead && lastRead.connection !== connection && readId(connection, READ_LAST_EVER) < lastId) lastId = 0
    deliverNew(connection)
    lastRead = { connection, dataVersion }
  }
  const poll = async (): Promise<void> => {
    if (isPolling) return
    isPolling = true
    // If the file is unavailable, the next poll tries again.
    await executor.read(deliverIfChanged).catch(() => {})
    isPolling = false
  }
  /** Makes sure that a new subscriber does not receive messages that were published earlier. */
  const skipEarlier = (connection: SqliteConnection): void => {
    if (pollTimer) deliverNew(connection)
    else lastId = readId(connection, READ_LAST_ID)
  }
  const stopPolling = (): void => {
    clearInterval(pollTimer)
    pollTimer = undefined
  }

  return {
    async publish(topic, message) {
      const bytes = Buffer.byteLength(topic) + Buffer.byteLength(message)
      if (bytes > maxBytes) throw new RangeError(`The message has ${bytes} bytes; this bus is limited to ${maxBytes} (maxBytes)`)
      await executor.write((connection) => connection.run(INSERT, expiresAt(now(), messageTtlMs), bytes, topic, message))
      if (pollTimer) await executor.read(deliverNew).catch(() => {})
    },
    async subscribe(topic, onMessage) {
      await executor.read(skipEarlier)
      const remove = subscribers.add(topic, onMessage)
      pollTimer ??= setInterval(() => void poll(), Math.min(pollIntervalMs, MAX_TIMER_MS)).unref()
      return () => {
        remove()
        if (subscribers.topics().length === 0) stopPolling()
      }
    },
    close() {
      stopPolling()
      subscribers.clear()
    },
  }
}

const readId = (connection: SqliteConnection, sql: string): number => connection.get<{ id: number }>(sql)?.id ?? 0
