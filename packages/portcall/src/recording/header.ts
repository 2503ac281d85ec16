import { isObject } from '../jsonrpc/message.ts'

/** The version of the format of recordings. Files without a header have version 1 too. */
const FORMAT_VERSION = 1

/** Returns the first line of a recording file, which names its format. */
export function createRecordingHeader(): string {
  return JSON.stringify({ portcall: 'recording', version: FORMAT_VERSION })
}

/** Reports whether an entry is the header of a recording. @throws SyntaxError for a newer format. */
export function isRecordingHeader(entry: unknown): boolean {
  if (!isObject(entry) || entry.portcall !== 'recording') return false
  if (typeof entry.version === 'number' && entry.version <= FORMAT_VERSION) return true
  throw new SyntaxError(
    `The recording has the format ${String(entry.version)}; this version reads formats up to ${FORMAT_VERSION}`,
  )
}
