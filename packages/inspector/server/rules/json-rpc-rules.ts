import { isObject, isSuccess } from 'portcall/jsonrpc'
import { revisionOf } from '../../../portcall/src/protocol/revisions.ts'
import type { MessageRule } from './checker.ts'
import { JSON_RPC, violation } from './violation.ts'

const FIRST_RESERVED = -32_768
const LAST_RESERVED = -32_000
const STANDARD: ReadonlySet<number> = new Set([-32_700, -32_600, -32_601, -32_602, -32_603])

const notJson: MessageRule = ({ value, stream, text }, revision) => {
  if (value !== undefined) return undefined
  const where = stream === 'stdio' ? 'stdout, where only messages are allowed' : 'the response'
  const section = stream === 'stdio' ? 'basic/transports#stdio' : 'basic/transports'
  return violation({ rule: 'not-json', section }, `Text that is not JSON on ${where}: ${text.slice(0, 80)}`, { revision })
}

const invalidMessage: MessageRule = ({ classified, value }) => {
  if (classified.kind === 'response' && isObject(value) && 'result' in value && 'error' in value)
    return violation({ rule: 'invalid-message', section: JSON_RPC.response }, 'A response with both "result" and "error"', {
      pointer: value.result === null ? '/result' : '/error',
    })
  if (classified.kind !== 'invalid' || value === undefined) return undefined
  const isResponse = isObject(value) && ('result' in value || 'error' in value)
  const section = isResponse ? JSON_RPC.response : JSON_RPC.request
  return violation({ rule: 'invalid-message', section }, classified.error.message)
}

const batch: MessageRule = ({ isBatch }, revision) =>
  isBatch === true && revision !== undefined && revisionOf(revision)?.batches === false
    ? violation({ rule: 'batch', section: 'basic' }, 'Several messages in one JSON array, which this revision does not have', {
        revision,
      })
    : undefined

const unknownId: MessageRule = ({ classified, request }) =>
  classified.kind === 'response' && !request
    ? violation(
        { rule: 'unknown-response-id', section: JSON_RPC.response },
        classified.message.id === undefined
          ? 'A response without an id'
          : `A response to the id ${JSON.stringify(classified.message.id)}, which no request has`,
        { pointer: '/id' },
      )
    : undefined

const secondResponse: MessageRule = ({ classified, request }) =>
  classified.kind === 'response' && request?.isAnswered === true
    ? violation({ rule: 'second-response', section: JSON_RPC.response }, `A second response to ${request.method}`, {
        pointer: '/id',
      })
    : undefined

const reusedId: MessageRule = ({ classified, earlier }, revision) =>
  classified.kind === 'request' && earlier
    ? violation(
        { rule: 'id-reuse', section: 'basic#requests' },
        `The id ${JSON.stringify(classified.message.id)} was used for ${earlier.method} before`,
        { revision, pointer: '/id' },
      )
    : undefined

const unknownCode: MessageRule = ({ classified }, revision) => {
  if (classified.kind !== 'response' || isSuccess(classified.message)) return undefined
  const { code } = classified.message.error
  if (code < FIRST_RESERVED || code > LAST_RESERVED || STANDARD.has(code)) return undefined
  const known = revision === undefined ? undefined : revisionOf(revision)?.errors.codes
  if (!known || known.includes(code)) return undefined
  const source = { rule: 'unknown-error-code', section: JSON_RPC.error, level: 'warning' } as const
  return violation(source, `The error code ${code} is reserved, and ${revision} does not define it`, { pointer: '/error/code' })
}

const emptyErrorMessage: MessageRule = ({ classified }) =>
  classified.kind === 'response' && !isSuccess(classified.message) && classified.message.error.message.trim() === ''
    ? violation({ rule: 'empty-error-message', section: JSON_RPC.error, level: 'warning' }, 'The error has no message', {
        pointer: '/error/message',
      })
    : undefined

/** The rules of JSON-RPC. */
export const JSON_RPC_RULES: readonly MessageRule[] = [
  notJson,
  invalidMessage,
  batch,
  unknownId,
  secondResponse,
  reusedId,
  unknownCode,
  emptyErrorMessage,
]
