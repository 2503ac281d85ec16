import { parseJson } from '../../../util/src/parse-json.ts'
import type { ChannelInput, UnreadableInput } from './channel.ts'
import { InvalidResponseError } from './errors.ts'
import { isObject, isRequestId, type RequestId } from './message.ts'
import type { OutgoingRequests } from './outgoing-requests.ts'

/** Input that a client ignores: unreadable input, or a message that it does not expect. */
export interface UnexpectedMessage {
  /** `syntax`: not JSON. `size`, `depth`: beyond the limits. `message`: JSON, but not a message that is valid here. */
  readonly kind: UnreadableInput['unreadable'] | 'message'
  /** The start of the text. */
  readonly text: string
}

const MAX_TEXT_LENGTH = 1000
const FAULTS = {
  syntax: 'it is not JSON in UTF-8',
  size: 'it is larger than the limit',
  depth: 'it is nested too deeply',
  shape: 'it does not conform to JSON-RPC',
} as const

export function toUnexpectedMessage(input: ChannelInput): UnexpectedMessage {
  if ('unreadable' in input) return { kind: input.unreadable, text: input.head ?? '' }
  return { kind: 'message', text: (JSON.stringify(input.value) ?? '').slice(0, MAX_TEXT_LENGTH) }
}

/** Rejects the request to which an invalid input is the response. Returns whether there was one. */
export function rejectUnreadable(input: ChannelInput, outgoing: OutgoingRequests): boolean {
  const fault = 'unreadable' in input ? input.unreadable : 'shape'
  const id = 'unreadable' in input ? readResponseId(input) : malformedResponseId(input.value)
  return outgoing.reject(id, new InvalidResponseError(`The response is invalid: ${FAULTS[fault]}`))
}

const ID = String.raw`"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")`
const VERSION = String.raw`"jsonrpc"\s*:\s*"2\.0"`
const OUTCOME = String.raw`"(?:result|error)"\s*:`
const ID_FIRST = new RegExp(String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?${ID}\s*,\s*(?:${VERSION}\s*,\s*)?${OUTCOME}`)
const OUTCOME_FIRST = new RegExp(String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?${OUTCOME}`)
const ID_LAST = new RegExp(String.raw`,\s*${ID}\s*(?:,\s*${VERSION}\s*)?\}\s*$`)

/**
 * Returns the id of a response that could not be parsed, from the start and the end of its text: the id is either before or after the large
 * member. Returns `undefined` if the id cannot be determined for certain, or if the text is not a response.
 */
export function readResponseId({ head = '', tail = '' }: UnreadableInput): RequestId | undefined {
  const match = ID_FIRST.exec(head) ?? (OUTCOME_FIRST.test(head) ? ID_LAST.exec(tail) : null)
  return match?.[1] === undefined ? undefined : parseId(match[1])
}

function parseId(text: string): RequestId | undefined {
  const id = parseJson(text)
  return isRequestId(id) ? id : undefined
}

/** Returns the id of a value that can only be meant as a response. */
function malformedResponseId(value: unknown): RequestId | undefined {
  if (!isObject(value) || typeof value.method === 'string') return undefined
  return isRequestId(value.id) ? value.id : undefined
}
