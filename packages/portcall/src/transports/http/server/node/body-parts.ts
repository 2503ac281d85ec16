import type { ServerResponse } from 'node:http'
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

/** Writes a body, all parts at once. */
export function writeParts(response: ServerResponse, parts: BodyParts): void {
  response.cork()
  for (const part of parts) response.write(part)
  response.uncork()
}
