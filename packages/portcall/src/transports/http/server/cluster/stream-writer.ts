import { createBackoff } from '../../../../../../util/src/backoff.ts'
import { delay } from '../../../../../../util/src/timers.ts'
import { END, encodeCursor, encodeEntry } from './log-codec.ts'
import type { ClusterNode } from './node.ts'
import { keys, type StreamRecord } from './records.ts'

export interface StreamWriterOptions {
  readonly node: ClusterNode
  readonly session: string
  readonly name: string
  /** True if the stream is in the stores already. */
  readonly isStored: boolean
  /** Reports whether a client reads the stream at this node. */
  readonly isConnected: () => boolean
  /** Called with the reader of the stream after new events were appended. */
  readonly onAppended: (reader: string) => void
  /** Called when the end of the stream was written. */
  readonly onEnd: () => void
}

interface PendingEvent {
  readonly data: string
  resolve(position: string | undefined): void
}

const MAX_ENTRY_BYTES = 64 * 1024
const BACKOFF = { firstMs: 50, maxMs: 1000, jitter: 0 }
/**
 * Time for which an append is retried. A client that is connected to this node gets the event after that anyway, though it cannot resume from
 * it. A disconnected client, or one of another node, would never get it.
 */
const RETRY_TIMEOUT_MS = { connected: 2000, otherwise: 60_000 }

/**
 * Writes one stream. The stream record is written with the first event; if that fails, nothing of the stream is stored, and it cannot be
 * resumed. Later appends are retried. Events that arrive meanwhile are appended together.
 */
export class StreamWriter {
  record: StreamRecord
  readonly #options: StreamWriterOptions
  #nextNumber = 1
  /** The position of the last entry. */
  #logPosition = ''
  #pending: PendingEvent[] = []
  #flushing: Promise<void> | undefined
  #state: 'new' | 'stored' | 'not stored'
  #isSealed = false
  #isEnded = false
  #isReleased = false

  constructor(record: StreamRecord, options: StreamWriterOptions) {
    this.record = record
    this.#options = options
    this.#state = options.isStored ? 'stored' : 'new'
  }

  /** True if the stream is in the stores, where other nodes can read it. */
  get isStored(): boolean {
    return this.#state === 'stored'
  }

  /** Settles when the current writes are done. Undefined if there are none. */
  get flushing(): Promise<void> | undefined {
    return this.#flushing
  }

  /** Appends an event. Resolves to its position, or to undefined if it is not stored. */
  append(data: string): Promise<string | undefined> {
    if (this.#state === 'not stored' || this.#isReleased) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      this.#pending.push({ data, resolve })
      this.#startFlush()
    })
  }

  /** Writes the end of the stream after all events. */
  end(): void {
    this.#isSealed = true
    this.#startFlush()
  }

  /** Stops writing, because another node writes the stream or the session has ended. */
  release(): void {
    this.#isReleased = true
  }

  #startFlush(): void {
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = undefined
      if (this.#pending.length > 0 || (this.#isSealed && !this.#isEnded)) this.#startFlush()
    })
  }

  async #flush(): Promise<void> {
    await undefined
    while (this.#pending.length > 0 && this.#state !== 'not stored') await this.#writeEvents(takeBatch(this.#pending))
    for (const { resolve } of this.#pending.splice(0)) resolve(undefined)
    if (!this.#isSealed) return
    this.#isEnded = true
    if (this.isStored) await this.#write(END)
    this.#options.onEnd()
    this.#options.onAppended(this.record.reader)
  }

  async #writeEvents(events: readonly PendingEvent[]): Promise<void> {
    const firstNumber = this.#nextNumber
    this.#nextNumber += events.length
    const texts = events.map(({ data }) => data)
    const position = await this.#write(encodeEntry(firstNumber, texts))
    const writer = this.record.earlierLogEnds.length
    for (const [at, { resolve }] of events.entries()) {
      const logPosition = at === events.length - 1 ? position : this.#logPosition
      resolve(position && encodeCursor({ writer, number: firstNumber + at, logPosition: logPosition ?? '' }))
    }
    if (position === undefined) return
    this.#logPosition = position
    this.#options.onAppended(this.record.reader)
  }

  /** Appends one entry, with retries. Returns undefined if it cannot be stored, or if this node is no longer the writer. */
  async #write(entry: string): Promise<string | undefined> {
    const { lease, endpoint } = this.#options.node
    const backoff = createBackoff(BACKOFF)
    const startedAt = performance.now()
    for (;;) {
      if (this.isStored) await lease.whenHeld()
      if (!this.#isWriter) return undefined
      try {
        const position = await this.#append(entry)
        await lease.whenHeld()
        return this.#isWriter ? position : undefined
      } catch (error) {
        if (!this.isStored || performance.now() - startedAt > this.#retryTimeoutMs) return void endpoint.onError(error)
        await delay(backoff.next())
      }
    }
  }

  get #isWriter(): boolean {
    return !this.#isReleased && this.record.writer === this.#options.node.lease.owner
  }

  get #retryTimeoutMs(): number {
    const isConnectedHere = this.record.reader === this.record.writer && this.#options.isConnected()
    return isConnectedHere ? RETRY_TIMEOUT_MS.connected : RETRY_TIMEOUT_MS.otherwise
  }

  async #append(entry: string): Promise<string> {
    const { session, name, node } = this.#options
    const { stores, endpoint } = node
    const appending = stores.log.append(keys.log(session, name, this.record.earlierLogEnds.length), entry)
    if (this.isStored) return appending
    const ttlMs = endpoint.limits.sessionIdleTimeoutMs
    const recording = stores.store.set(keys.stream(session, name), JSON.stringify(this.record), { ttlMs })
    try {
      const [position] = await Promise.all([appending, recording])
      this.#state = 'stored'
      return position
    } catch (error) {
      this.#state = 'not stored'
      throw error
    }
  }
}

function takeBatch(pending: PendingEvent[]): PendingEvent[] {
  let bytes = 0
  let count = 0
  while (count < pending.length && bytes < MAX_ENTRY_BYTES) bytes += pending[count++]?.data.length ?? 0
  return pending.splice(0, count)
}
