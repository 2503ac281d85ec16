import { PortcallError } from '../../../util/src/errors.ts'

/** One entry of a log. */
export interface LogEntry {
  /** Identifies the entry within its log. Opaque; printable ASCII without spaces, at most 64 characters. */
  position: string
  /** The data that was appended. */
  data: string
}

/**
 * Append-only logs by key, kept for a limited time. Streams are resumed from them.
 *
 * The first entry creates a log. Backends trim logs from the front by number, bytes and age, as their options say, and may delete whole
 * logs. They never return a log with a gap.
 */
export interface EventLog {
  /** Appends an entry and resolves to its position. Entries are stored in the order of the calls, awaited or not. */
  append(key: string, data: string): Promise<string>
  /**
   * Resolves to the entries after a position, oldest first; without a position, to all stored entries. A log that does not exist has no
   * entries. Rejects with `UnknownPositionError` if the position does not belong to this log, or if entries after it have been trimmed.
   */
  read(key: string, after?: string): Promise<LogEntry[]>
  /** Deletes a log. Its positions remain unknown, even if a new log is created under the same key. */
  delete(key: string): Promise<void>
}

/** The entries after a position cannot be returned completely: they were trimmed, or the position belongs to another log. */
export class UnknownPositionError extends PortcallError {
  override readonly name = 'UnknownPositionError'
  readonly code = 'UNKNOWN_POSITION'

  /** Throw it from `read` of an event log of your own. */
  constructor() {
    super('This position is not in the log: it was trimmed, or it belongs to another log')
  }
}
