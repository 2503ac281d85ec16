import { pause } from '../../../jsonrpc/waiting.ts'
import type { Backing } from './backing.ts'
import { END, encodeEntry, encodePosition } from './entries.ts'
import type { Lease } from './lease.ts'
import { Key, type StreamRecord } from './records.ts'

/** What the streams of one session have in common. */
export interface LineSite {
  readonly session: string
  readonly backing: Backing
  readonly lease: Lease
  /** How long the record of a stream stays. */
  readonly ttlMs: number
  readonly onError: (error: unknown) => void
}

export interface LineOptions extends LineSite {
  readonly name: string
  /** It rests in the store already. */
  readonly isKept: boolean
  /** Tells who reads it that there is more. */
  readonly onGrown: (reader: string) => void
  /** Told when all is written that will be. */
  readonly onEnd: () => void
}

interface Waiting {
  readonly data: string
  resolve(position: string | undefined): void
}

const ENTRY_BYTES = 64 * 1024
const FIRST_PAUSE_MS = 50
const LAST_PAUSE_MS = 1000
/** So long the writing of an event is tried when it is read here, and when it is not. */
const PATIENCE_MS = { here: 2000, elsewhere: 60_000 }

/**
 * One stream as this process writes it. Its record is written with its first event; if that fails, nobody can come back for the stream, and
 * nothing of it is kept. Later an event is tried until it is kept; what comes meanwhile waits in line, and goes together.
 */
export class Line {
  record: StreamRecord
  #options: LineOptions
  #next = 1
  /** Of the last entry. */
  #place = ''
  #waiting: Waiting[] = []
  #pumping: Promise<void> | undefined
  #kept: 'not yet' | 'yes' | 'no'
  #sealed = false
  #ended = false
  #dropped = false

  constructor(record: StreamRecord, options: LineOptions) {
    this.record = record
    this.#options = options
    this.#kept = options.isKept ? 'yes' : 'not yet'
  }

  /** Whether it rests in the store for others to read. */
  get kept(): boolean {
    return this.#kept === 'yes'
  }

  /** There while something is being written. */
  get pumping(): Promise<void> | undefined {
    return this.#pumping
  }

  /** Writes an event. Resolves to its position, to nothing when it is not kept. */
  append(data: string): Promise<string | undefined> {
    if (this.#kept === 'no' || this.#dropped) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      this.#waiting.push({ data, resolve })
      this.#start()
    })
  }

  /** Notes that nothing more will come. */
  seal(): void {
    this.#sealed = true
    this.#start()
  }

  /** Writes nothing any more: another process does, or the session has ended. */
  drop(): void {
    this.#dropped = true
  }

  #start(): void {
    this.#pumping ??= this.#pump().finally(() => {
      this.#pumping = undefined
      if (this.#waiting.length > 0 || (this.#sealed && !this.#ended)) this.#start()
    })
  }

  async #pump(): Promise<void> {
    await undefined
    while (this.#waiting.length > 0 && this.#kept !== 'no') await this.#writeBatch(takeBatch(this.#waiting))
    for (const { resolve } of this.#waiting.splice(0)) resolve(undefined)
    if (!this.#sealed) return
    this.#ended = true
    if (this.kept) await this.#write(END)
    this.#options.onEnd()
    this.#options.onGrown(this.record.reader)
  }

  async #writeBatch(batch: readonly Waiting[]): Promise<void> {
    const first = this.#next
    this.#next += batch.length
    const data = batch.map((event) => event.data)
    const position = await this.#write(encodeEntry(first, data))
    const writer = this.record.earlier.length
    for (const [at, { resolve }] of batch.entries()) {
      const place = at === batch.length - 1 ? position : this.#place
      resolve(position && encodePosition({ writer, number: first + at, place: place ?? '' }))
    }
    if (position === undefined) return
    this.#place = position
    this.#options.onGrown(this.record.reader)
  }

  /** Writes one entry, as often as it takes. Gives nothing when it cannot be kept, or would count for nothing. */
  async #write(text: string): Promise<string | undefined> {
    const { lease, onError } = this.#options
    const began = performance.now()
    for (let ms = FIRST_PAUSE_MS; ; ms = Math.min(2 * ms, LAST_PAUSE_MS)) {
      if (this.kept) await lease.untilHeld()
      if (!this.#isMine) return undefined
      try {
        const position = await this.#append(text)
        await lease.untilHeld()
        return this.#isMine ? position : undefined
      } catch (error) {
        if (!this.kept || performance.now() - began > this.#patience) return void onError(error)
        await pause(ms)
      }
    }
  }

  get #isMine(): boolean {
    return !this.#dropped && this.record.writer === this.#options.lease.owner
  }

  get #patience(): number {
    return this.record.reader === this.record.writer ? PATIENCE_MS.here : PATIENCE_MS.elsewhere
  }

  async #append(text: string): Promise<string> {
    const { session, name, backing, ttlMs } = this.#options
    const appending = backing.log.append(Key.log(session, name, this.record.earlier.length), text)
    if (this.kept) return appending
    const recording = backing.store.set(Key.stream(session, name), JSON.stringify(this.record), { ttlMs })
    try {
      const [position] = await Promise.all([appending, recording])
      this.#kept = 'yes'
      return position
    } catch (error) {
      this.#kept = 'no'
      throw error
    }
  }
}

function takeBatch(waiting: Waiting[]): Waiting[] {
  let bytes = 0
  let count = 0
  while (count < waiting.length && bytes < ENTRY_BYTES) bytes += waiting[count++]?.data.length ?? 0
  return waiting.splice(0, count)
}
