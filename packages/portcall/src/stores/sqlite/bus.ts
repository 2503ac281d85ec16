import { Buffer } from 'node:buffer'
import { clearInterval, setInterval } from 'node:timers'
import type { Bus } from '../bus.ts'
import type { MemoryBusOptions } from '../memory-bus.ts'
import { createTopics } from '../topics.ts'
import type { Connection } from './connection.ts'
import type { Session } from './session.ts'
import { expiry } from './tidy.ts'

/** How messages go through a file. */
export interface SqliteBusOptions extends MemoryBusOptions {
  /** How often the file is looked at for messages of other processes, while anybody subscribes. Default: 50. */
  pollMs?: number
  /** How long a process that stands still can catch up. Default: 60,000. */
  maxAgeMs?: number
  /** Messages that other processes have not taken yet; the oldest are lost. Default: 10,000. */
  maxMessages?: number
  /** Bytes of them and their topics in UTF-8. A larger single message is refused. Default: 16 MiB. */
  maxBytes?: number
}

/** A bus that has to be closed. */
export interface SqliteBus extends Bus {
  close(): void
}

interface Passed {
  readonly id: number
  readonly topic: string
  readonly message: string
}

const SOME = 500
const ADD = 'INSERT INTO portcall_messages (expires, bytes, topic, message) VALUES (?, ?, ?, ?)'
const LAST = 'SELECT coalesce(max(id), 0) AS id FROM portcall_messages'
const BEHIND = `SELECT id, topic, message FROM portcall_messages WHERE id > ? ORDER BY id LIMIT ${SOME}`
const VERSION = 'PRAGMA data_version'

/**
 * Makes the bus of a database. All messages go through one table and are handed out in its order, those of this process as soon as they are
 * written. The others are looked for when SQLite's counter of changes says that another process has written.
 */
export function createSqliteBus(
  connection: Connection,
  { pollMs, maxAgeMs, maxBytes, ...local }: Required<Omit<SqliteBusOptions, 'onError'>> & MemoryBusOptions,
  now: () => number,
): SqliteBus {
  const topics = createTopics(local)
  let last = 0
  let seen: { session: Session; version: number } | undefined
  let timer: ReturnType<typeof setInterval> | undefined
  let polling = false

  const handOut = (session: Session): void => {
    for (let messages = session.all<Passed>(BEHIND, last); messages.length > 0; messages = session.all<Passed>(BEHIND, last)) {
      for (const { id, topic, message } of messages) {
        last = id
        topics.deliver(topic, message)
      }
    }
  }
  const look = (session: Session): void => {
    const version = session.get<{ data_version: number }>(VERSION)?.data_version ?? 0
    if (seen?.session === session && seen.version === version) return
    handOut(session)
    seen = { session, version }
  }
  const poll = async (): Promise<void> => {
    if (polling) return
    polling = true
    // What is away now is looked at again in a moment.
    await connection.read(look).catch(() => {})
    polling = false
  }
  /** Whoever comes hears nothing that was published before. */
  const enter = (session: Session): void => {
    if (timer) handOut(session)
    else last = session.get<{ id: number }>(LAST)?.id ?? 0
  }
  const stop = (): void => {
    clearInterval(timer)
    timer = undefined
  }

  return {
    async publish(topic, message) {
      const bytes = Buffer.byteLength(topic) + Buffer.byteLength(message)
      if (bytes > maxBytes) throw new RangeError(`The message has ${bytes} bytes; this bus takes ${maxBytes}`)
      await connection.write((session) => session.run(ADD, expiry(now(), maxAgeMs), bytes, topic, message))
      if (timer) await connection.read(handOut).catch(() => {})
    },
    async subscribe(topic, onMessage) {
      await connection.read(enter)
      const end = topics.add(topic, onMessage)
      timer ??= setInterval(() => void poll(), pollMs).unref()
      return () => {
        end()
        if (topics.names().length === 0) stop()
      }
    },
    close() {
      stop()
      topics.clear()
    },
  }
}
