import type { Request } from '../../../../jsonrpc/message.ts'
import type { LogEntry } from '../../../../stores/log.ts'
import type { StreamEventLog } from '../sessions/stream.ts'
import type { StreamRead } from './log-codec.ts'
import type { ClusterNode, SharedStores } from './node.ts'
import { keys, parseRecord, type StreamRecord } from './records.ts'
import { createStreamReader, type StreamReader } from './stream-reader.ts'
import { StreamWriter } from './stream-writer.ts'

export interface StreamLogsOptions {
  /** Reports whether a client reads a stream at this node. */
  readonly isConnected: (name: string) => boolean
  /** Called with the reader of a stream after new events were appended. */
  readonly onAppended: (name: string, reader: string) => void
}

/**
 * The event logs of the streams of one session, which every node can read. As a `StreamEventLog`, it takes keys that end with the name of a
 * stream.
 *
 * Each writer of a stream has its own log, so the writes of two nodes never mix. A node that takes a stream over from one that may still be
 * writing starts another log, and records in the stream record up to where the previous log is valid.
 */
export class StreamLogs implements StreamEventLog, StreamReader {
  readonly #node: ClusterNode
  readonly #session: string
  readonly #options: StreamLogsOptions
  readonly #reader: StreamReader
  readonly #writers = new Map<string, StreamWriter>()
  /** The last writes of writers that were released. */
  readonly #releasing = new Set<Promise<void> | undefined>()

  constructor(node: ClusterNode, session: string, options: StreamLogsOptions) {
    const { log } = node.stores
    this.#node = node
    this.#session = session
    this.#options = options
    this.#reader = createStreamReader({ session, log, findRecord: (name) => this.#findRecord(name) })
  }

  /** Creates a stream that this node writes. It is stored with its first event. A stream without `requests` is standalone. */
  create(name: string, requests: readonly Request[] | undefined): void {
    const { owner } = this.#node.lease
    const [first, second] = requests ?? []
    const { isIdempotent } = this.#node
    this.#addWriter(name, {
      writer: owner,
      reader: owner,
      earlierLogEnds: [],
      isStandalone: requests === undefined,
      requestIds: requests?.map(({ id }) => id) ?? [],
      rerunnable: first && !second && isIdempotent(first) ? first : undefined,
    })
  }

  async append(key: string, data: string): Promise<string | undefined> {
    return this.#writers.get(nameOf(key))?.append(data)
  }

  async read(key: string, after = ''): Promise<LogEntry[]> {
    return [...(await this.readAfter(nameOf(key), after)).events]
  }

  async delete(key: string): Promise<void> {
    const name = nameOf(key)
    const record = await this.#findRecord(name)
    this.release(name)
    if (record) await deleteStream(this.#node.stores, { session: this.#session, name }, record)
  }

  readAfter(name: string, position: string): Promise<StreamRead> {
    return this.#reader.readAfter(name, position)
  }

  readLastLog(name: string, record: StreamRecord): ReturnType<StreamReader['readLastLog']> {
    return this.#reader.readLastLog(name, record)
  }

  /** Marks the end of a stream that this node writes. */
  end(name: string): void {
    this.#writers.get(name)?.end()
  }

  /** Reports whether this node writes the stream and other nodes can read it. */
  isStored(name: string): boolean {
    return this.#writers.get(name)?.isStored === true
  }

  /** Returns the reader of a stream that this node writes. */
  readerOf(name: string): string | undefined {
    return this.#writers.get(name)?.record.reader
  }

  /** Sets the reader of a stream that this node writes. It is notified of new events. */
  setReader(name: string, reader: string): void {
    const writer = this.#writers.get(name)
    if (writer) writer.record = { ...writer.record, reader }
  }

  /** Reads the record of a stream. */
  async readRecord(name: string): Promise<StreamRecord | undefined> {
    return parseRecord(await this.#node.stores.store.get(keys.stream(this.#session, name)))
  }

  /**
   * Replaces the record of a stream unless it has changed. If the new record names this node as the writer, it writes from then on. Returns
   * whether the record was replaced.
   */
  async claim(name: string, expected: StreamRecord, record: StreamRecord): Promise<boolean> {
    const { stores, lease, endpoint } = this.#node
    const ttlMs = endpoint.limits.sessionIdleTimeoutMs
    const change = { expected: JSON.stringify(expected), value: JSON.stringify(record), ttlMs }
    if (!(await stores.store.compareAndSet(keys.stream(this.#session, name), change))) return false
    const writer = this.#writers.get(name)
    if (record.writer !== lease.owner) return true
    if (writer?.record.earlierLogEnds.length === record.earlierLogEnds.length) writer.record = record
    else this.#addWriter(name, record, true)
    return true
  }

  /** Resolves when the current writes of a stream are done. */
  async whenFlushed(name: string): Promise<void> {
    await this.#writers.get(name)?.flushing
  }

  /** Stops writing a stream. Its log stays. */
  release(name: string): void {
    const writer = this.#writers.get(name)
    const flushing = writer?.flushing
    writer?.release()
    this.#writers.delete(name)
    const released: Promise<void> | undefined = flushing?.finally(() => this.#releasing.delete(released))
    if (released) this.#releasing.add(released)
  }

  /** Resolves when no released writer is writing any more. Returns whether any was. */
  async whenReleased(): Promise<boolean> {
    return (await Promise.all(this.#releasing)).length > 0
  }

  /** Claims all streams that this node writes for its new epoch. Returns the names of those that other nodes have taken over. */
  async reclaim(): Promise<string[]> {
    const lost: string[] = []
    for (const [name, { isStored, record }] of this.#writers)
      if (isStored && !(await this.#reclaimStream(name, record.writer))) lost.push(name)
    for (const name of lost) this.release(name)
    return lost
  }

  /** Extends the lifetime of all streams that this node writes. */
  async touch(): Promise<void> {
    for (const [name, { isStored, record }] of this.#writers) if (isStored) await this.claim(name, record, record)
  }

  async #reclaimStream(name: string, writer: string): Promise<boolean> {
    const { owner } = this.#node.lease
    const record = await this.readRecord(name)
    if (record?.writer !== writer) return false
    const reader = record.reader === writer ? owner : record.reader
    return (await this.claim(name, record, { ...record, writer: owner, reader })) || this.#reclaimStream(name, writer)
  }

  async #findRecord(name: string): Promise<StreamRecord | undefined> {
    return this.#writers.get(name)?.record ?? this.readRecord(name)
  }

  #addWriter(name: string, record: StreamRecord, isStored = false): void {
    const writer = new StreamWriter(record, {
      node: this.#node,
      session: this.#session,
      name,
      isStored,
      isConnected: () => this.#options.isConnected(name),
      onAppended: (reader) => this.#options.onAppended(name, reader),
      onEnd: () => void this.#writers.delete(name),
    })
    this.#writers.set(name, writer)
  }
}

function nameOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1)
}

interface StreamName {
  readonly session: string
  readonly name: string
}

async function deleteStream({ store, log }: SharedStores, { session, name }: StreamName, record: StreamRecord): Promise<void> {
  const writers = record.earlierLogEnds.length + 1
  const logs = Array.from({ length: writers }, (_, writer) => log.delete(keys.log(session, name, writer)))
  await Promise.all([...logs, store.delete(keys.stream(session, name))])
}

/** Deletes all streams of a session, whichever nodes write them. */
export async function deleteStreams(stores: SharedStores, session: string): Promise<void> {
  const prefix = keys.streams(session)
  const names = (await stores.store.list(prefix)).map((key) => key.slice(prefix.length))
  await Promise.all(
    names.map(async (name) => {
      const record = parseRecord<StreamRecord>(await stores.store.get(prefix + name))
      if (record) await deleteStream(stores, { session, name }, record)
    }),
  )
}
