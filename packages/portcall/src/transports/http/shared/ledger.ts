import { refuse } from '../http-error.ts'
import type { EventLog } from '../stream.ts'
import type { Backing } from './backing.ts'
import { Line, type LineSite } from './line.ts'
import { createReader, type Reader } from './reader.ts'
import { Key, readRecord, type StreamRecord } from './records.ts'

/** What is known of a stream when it begins. */
export type StreamStart = Pick<StreamRecord, 'standing' | 'requests' | 'repeat'>

/**
 * The events of the streams of one session, in logs that every process can read; what is written here, and what is read. As a log, it takes
 * keys that end with the name of a stream.
 *
 * Each writer of a stream has a log of its own, so that two can never mix: who takes a stream over from a process that may still be
 * writing begins another log, and notes in the stream's record up to where the one before counts.
 */
export interface Ledger extends EventLog, Reader {
  /** Says what a stream is, before its first event. */
  begin(name: string, start: StreamStart): void
  /** Notes that nothing more will come. */
  seal(name: string): void
  /** Whether a stream that is written here rests where others can read it. */
  isKept(name: string): boolean
  /** Who reads a stream that is written here. */
  readerOf(name: string): string | undefined
  /** Notes who reads a stream that is written here, to be told when it grows. */
  setReader(name: string, reader: string): void
  record(name: string): Promise<StreamRecord | undefined>
  /** Changes the record of a stream unless it has changed since. Who becomes its writer writes from then on. Tells whether it did. */
  claim(name: string, from: StreamRecord, to: StreamRecord): Promise<boolean>
  /** Resolves when what was written is kept. */
  flushed(name: string): Promise<void>
  /** Lets a stream go without erasing it. */
  drop(name: string): void
  /** Claims all streams again that are written here, under the present name of this process. Gives those that others have taken. */
  regain(): Promise<string[]>
  /** Lets all that is written here live on. */
  touch(): Promise<void>
  /** Resolves when nothing is being written any more. Tells whether anything was. */
  settled(): Promise<boolean>
}

export interface LedgerOptions extends LineSite {
  /** Tells the reader of a stream that it has grown. */
  readonly onGrown: (name: string, reader: string) => void
}

/** Opens the ledger of a session. */
export function createLedger({ onGrown, ...site }: LedgerOptions): Ledger {
  const { session, backing, lease, ttlMs } = site
  const { store, log } = backing
  const lines = new Map<string, Line>()
  const dropped = new Set<Promise<void> | undefined>()

  const record = async (name: string): Promise<StreamRecord | undefined> => readRecord(await store.get(Key.stream(session, name)))
  const known = (name: string): Promise<StreamRecord | undefined> => Promise.resolve(lines.get(name)?.record ?? record(name))
  const open = (name: string, first: StreamRecord, isKept: boolean): void => {
    const tell = { onGrown: (reader: string) => onGrown(name, reader), onEnd: () => void lines.delete(name) }
    lines.set(name, new Line(first, { ...site, ...tell, name, isKept }))
  }
  const drop = (name: string): void => {
    const line = lines.get(name)
    const pumping = line?.pumping
    line?.drop()
    lines.delete(name)
    const over: Promise<void> | undefined = pumping?.finally(() => dropped.delete(over))
    if (over) dropped.add(over)
  }
  const claim: Ledger['claim'] = async (name, from, to) => {
    const change = { expected: JSON.stringify(from), value: JSON.stringify(to), ttlMs }
    if (!(await store.swap(Key.stream(session, name), change))) return false
    const line = lines.get(name)
    if (to.writer !== lease.owner) return true
    if (line?.record.earlier.length === to.earlier.length) line.record = to
    else open(name, to, true)
    return true
  }
  const { readOn, readLast } = createReader({ session, log, known })
  /** Claims one stream again. Tells whether it was still free. */
  const regainOne = async (name: string, line: Line): Promise<boolean> => {
    const { writer } = line.record
    const now = await record(name)
    if (now?.writer !== writer) return false
    const isClaimed = await claim(name, now, {
      ...now,
      writer: lease.owner,
      reader: now.reader === writer ? lease.owner : now.reader,
    })
    return isClaimed || regainOne(name, line)
  }

  return {
    record,
    readOn,
    claim,
    drop,
    begin: (name, start) => open(name, { writer: lease.owner, reader: lease.owner, earlier: [], ...start }, false),
    append: async (key, data) => lines.get(nameOf(key))?.append(data),
    read: async (key, after = '') => [...(await readOn(nameOf(key), after)).entries],
    async delete(key) {
      const name = nameOf(key)
      const found = await known(name)
      drop(name)
      if (found) await erase(backing, { session, name }, found)
    },
    seal: (name) => lines.get(name)?.seal(),
    isKept: (name) => lines.get(name)?.kept === true,
    readerOf: (name) => lines.get(name)?.record.reader,
    setReader(name, reader) {
      const line = lines.get(name)
      if (line) line.record = { ...line.record, reader }
    },
    readLast,
    flushed: async (name) => lines.get(name)?.pumping,
    async regain() {
      const lost: string[] = []
      for (const [name, line] of lines) if (line.kept && !(await regainOne(name, line))) lost.push(name)
      for (const name of lost) drop(name)
      return lost
    },
    async touch() {
      for (const [name, line] of lines) if (line.kept) await claim(name, line.record, line.record)
    },
    settled: async () => (await Promise.all(dropped)).length > 0,
  }
}

function nameOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1)
}

interface StreamName {
  readonly session: string
  readonly name: string
}

async function erase({ store, log }: Backing, { session, name }: StreamName, { earlier }: StreamRecord): Promise<void> {
  const logs = Array.from({ length: earlier.length + 1 }, (_, writer) => log.delete(Key.log(session, name, writer)))
  await Promise.all([...logs, store.delete(Key.stream(session, name))])
}

/** Erases all streams of a session, whoever writes them. */
export async function eraseStreams(backing: Backing, session: string): Promise<void> {
  const prefix = Key.streams(session)
  const names = (await backing.store.list(prefix)).map((key) => key.slice(prefix.length))
  await Promise.all(
    names.map(async (name) => {
      const found = readRecord<StreamRecord>(await backing.store.get(prefix + name))
      if (found) await erase(backing, { session, name }, found)
    }),
  )
}

/** What is answered where a stream cannot be found. */
export function noSuchEvent(): Error {
  return refuse(404, 'Not found: there is no such event')
}
