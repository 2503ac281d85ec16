/** One entry of a log. */
export interface LogEntry {
  /** Names the entry within its log; printable ASCII without spaces, at most 64 characters. Opaque to whoever holds it. */
  position: string
  data: string
}

/**
 * Ordered entries by key, kept for a while: what a stream that broke off is resumed from.
 *
 * A log comes into being with its first entry. Backends trim logs from the front by number, bytes and age, each by its own
 * options, and may drop whole logs; what they never do is hand out a log with a gap.
 */
export interface Log {
  /** Adds an entry at the end and resolves to its position. Calls that are made in order end up in order, awaited or not. */
  append(key: string, data: string): Promise<string>
  /**
   * The entries that came after a position, oldest first; without a position, all that are kept. A log that does not exist has
   * no entries. Rejects with `UnknownPosition` when the position is not of this log, or when entries after it have been
   * trimmed.
   */
  read(key: string, after?: string): Promise<LogEntry[]>
  /** Removes a log. Its positions stay unknown for ever, also when a log of the same key is begun again. */
  delete(key: string): Promise<void>
}

/** What came after a position cannot be told completely: it was trimmed, or the position belongs to another log. */
export class UnknownPosition extends Error {
  override readonly name = 'UnknownPosition'
  readonly code = 'UNKNOWN_POSITION'

  constructor() {
    super('This position is not in the log: it was trimmed, or it belongs to another log')
  }
}
