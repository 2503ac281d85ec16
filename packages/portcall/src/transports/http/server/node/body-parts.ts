import type { Writable } from 'node:stream'
import type { SharedBody } from '../../../../../../util/src/memo.ts'

/** A body as UTF-8, in one or more parts. */
export type BodyParts = readonly Uint8Array[]

/** Encodes a body. A part that many bodies share is encoded once. */
export function encodeBody(body: string | SharedBody): BodyParts {
  return typeof body === 'string' ? [Buffer.from(body)] : body.parts
}

/** Returns the size of a body in bytes. */
export function sizeOf(parts: BodyParts): number {
  return parts.reduce((size, { length }) => size + length, 0)
}

/** Writes parts of a response, all at once. Calls `onSent` when the last of them was sent, with the error if it was not. */
export function writeParts(output: Writable, parts: BodyParts, onSent?: (error?: Error | null) => void): void {
  output.cork()
  for (const [at, part] of parts.entries()) output.write(part, at === parts.length - 1 ? onSent : undefined)
  output.uncork()
}
