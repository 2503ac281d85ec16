import { type EventLog, type LogEntry, UnknownPositionError } from '../../../../stores/log.ts'
import { decodeCursor, decodeEntries, decodeLog, END, type StreamCursor, type StreamRead } from './log-codec.ts'
import { keys, type StreamRecord } from './records.ts'

/** Reads the streams of one session, whichever nodes have written them. */
export interface StreamReader {
  /** Reads all events after a position. @throws UnknownPositionError. */
  readAfter(name: string, position: string): Promise<StreamRead>
  /** Reads the log of the last writer: its events, and the position of its last entry with events. */
  readLastLog(name: string, record: StreamRecord): Promise<{ events: string[]; end: string }>
}

export interface StreamReaderOptions {
  readonly session: string
  readonly log: EventLog
  readonly findRecord: (name: string) => Promise<StreamRecord | undefined>
}

const NOTHING: StreamRead = { events: [], isEnded: false }

export function createStreamReader({ session, log, findRecord }: StreamReaderOptions): StreamReader {
  /** Reads the events of one writer after a cursor, up to the end of its log. An empty end means that the log is invalid. */
  const readLog = async (name: string, cursor: StreamCursor, end: string | undefined): Promise<StreamRead> => {
    if (end === '' || (end !== undefined && end === cursor.logPosition)) return NOTHING
    const entries = await log.read(keys.log(session, name, cursor.writer), cursor.logPosition || undefined)
    return decodeEntries(entries, cursor, end)
  }
  return {
    async readAfter(name, position) {
      const record = await findRecord(name)
      let cursor = decodeCursor(position)
      if (!record || cursor.writer > record.earlierLogEnds.length) throw new UnknownPositionError()
      const events: LogEntry[] = []
      for (const end of record.earlierLogEnds.slice(cursor.writer)) {
        events.push(...(await readLog(name, cursor, end)).events)
        cursor = { writer: cursor.writer + 1, number: 0, logPosition: '' }
      }
      const last = await readLog(name, cursor, undefined)
      return { events: [...events, ...last.events], isEnded: last.isEnded }
    },
    async readLastLog(name, { earlierLogEnds }) {
      const entries = await log.read(keys.log(session, name, earlierLogEnds.length))
      return { events: decodeLog(entries), end: entries.findLast(({ data }) => data !== END)?.position ?? '' }
    },
  }
}
