/**
 * The cursor that clients get: the version of the event type, a side, and a position in its log. `after` continues behind the entry at the
 * position, `before` with it.
 */
export interface FeedPosition {
  readonly side: 'after' | 'before'
  /** A position of the log. */
  readonly position: string
}

/** A cursor that was read. */
export interface ReadCursor extends FeedPosition {
  /** The version of the event type that created it. */
  readonly version: number
}

const CURSOR = /^(\d{1,9})\.(a|b)\.([!-~]{1,64})$/

/** Returns the text of a cursor. */
export function writeCursor(version: number, { side, position }: FeedPosition): string {
  return `${version}.${side === 'after' ? 'a' : 'b'}.${position}`
}

/** Reads a cursor. Returns `undefined` for a text that this server did not create. */
export function readCursor(text: string): ReadCursor | undefined {
  const [, version, side, position] = CURSOR.exec(text) ?? []
  if (position === undefined) return undefined
  return { version: Number(version), side: side === 'a' ? 'after' : 'before', position }
}
