import { type Log, type LogEntry, UnknownPosition } from '../../../stores/log.ts'
import { type Cursor, decodeAll, decodeEntries, END, type Reading, readPosition } from './entries.ts'
import { Key, type StreamRecord } from './records.ts'

/** Reads the streams of one session, whoever wrote them. */
export interface Reader {
  /** All that comes after a position. @throws UnknownPosition. */
  readOn(name: string, after: string): Promise<Reading>
  /** What the last writer wrote, as far as it is kept, and the place of its last entry. */
  readLast(name: string, record: StreamRecord): Promise<{ events: string[]; place: string }>
}

export interface ReaderOptions {
  readonly session: string
  readonly log: Log
  /** The record of a stream. */
  readonly known: (name: string) => Promise<StreamRecord | undefined>
}

const NOTHING: Reading = { entries: [], ended: false }

/** Makes the reader of a session. */
export function createReader({ session, log, known }: ReaderOptions): Reader {
  /** What one writer wrote after a cursor, up to a place: nothing of it counts when that is empty. */
  const readPart = async (name: string, cursor: Cursor, upTo: string | undefined): Promise<Reading> => {
    if (upTo === '' || (upTo !== undefined && upTo === cursor.place)) return NOTHING
    const entries = await log.read(Key.log(session, name, cursor.writer), cursor.place || undefined)
    return decodeEntries(entries, cursor, upTo)
  }
  return {
    async readOn(name, after) {
      const found = await known(name)
      let cursor = readPosition(after)
      if (!found || cursor.writer > found.earlier.length) throw new UnknownPosition()
      const entries: LogEntry[] = []
      for (const upTo of found.earlier.slice(cursor.writer)) {
        entries.push(...(await readPart(name, cursor, upTo)).entries)
        cursor = { writer: cursor.writer + 1, number: 0, place: '' }
      }
      const last = await readPart(name, cursor, undefined)
      return { entries: [...entries, ...last.entries], ended: last.ended }
    },
    async readLast(name, { earlier }) {
      const entries = await log.read(Key.log(session, name, earlier.length))
      return { events: decodeAll(entries), place: entries.findLast(({ data }) => data !== END)?.position ?? '' }
    },
  }
}
