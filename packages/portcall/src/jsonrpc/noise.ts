import type { Received, Unreadable } from './channel.ts'
import { UnreadableAnswer } from './errors.ts'
import { isObject, isRequestId, type RequestId } from './message.ts'
import type { Outgoing } from './outgoing.ts'

/** What came and means nothing to the side that asks: junk between the messages, or messages that belong nowhere. */
export interface Noise {
  /** `syntax`: no JSON; `size`, `depth`: beyond the limits; `message`: JSON, but no message that belongs here. */
  readonly kind: Unreadable['unreadable'] | 'message'
  /** How it begins. */
  readonly text: string
}

const EXCERPT = 1000
const FAULTS = {
  syntax: 'it is not JSON in UTF-8',
  size: 'it is larger than the limit',
  depth: 'it is nested too deeply',
  shape: 'it is not a valid response',
} as const

/** Makes the report of something that could not be read, or of a message that belongs nowhere. */
export function noiseOf(received: Received): Noise {
  if ('unreadable' in received) return { kind: received.unreadable, text: received.head ?? '' }
  return { kind: 'message', text: (JSON.stringify(received.value) ?? '').slice(0, EXCERPT) }
}

/** Fails the request that something unreadable would have answered. Tells whether there was one. */
export function failUnreadable(received: Received, outgoing: Outgoing): boolean {
  const fault = 'unreadable' in received ? received.unreadable : 'shape'
  const id = 'unreadable' in received ? answeredId(received) : malformedId(received.value)
  return outgoing.drop(id, new UnreadableAnswer(`The answer came but could not be read: ${FAULTS[fault]}`))
}

const ID = String.raw`"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")`
const VERSION = String.raw`"jsonrpc"\s*:\s*"2\.0"`
const ANSWER = String.raw`"(?:result|error)"\s*:`
const ID_FIRST = new RegExp(String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?${ID}\s*,\s*(?:${VERSION}\s*,\s*)?${ANSWER}`)
const ANSWER_FIRST = new RegExp(String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?${ANSWER}`)
const ID_LAST = new RegExp(String.raw`,\s*${ID}\s*(?:,\s*${VERSION}\s*)?\}\s*$`)

/**
 * Tells which request a response would have answered that could not be read, from how its text begins and ends: its id stands before
 * or behind its large member. `undefined` when that cannot be told for sure.
 */
export function answeredId({ head = '', tail = '' }: Unreadable): RequestId | undefined {
  const found = ID_FIRST.exec(head) ?? (ANSWER_FIRST.test(head) ? ID_LAST.exec(tail) : null)
  return found?.[1] === undefined ? undefined : parseId(found[1])
}

function parseId(text: string): RequestId | undefined {
  try {
    const id = JSON.parse(text) as unknown
    return isRequestId(id) ? id : undefined
  } catch {
    return undefined
  }
}

/** The id of a value that can only be meant as a response. */
function malformedId(value: unknown): RequestId | undefined {
  if (!isObject(value) || typeof value.method === 'string') return undefined
  return isRequestId(value.id) ? value.id : undefined
}
