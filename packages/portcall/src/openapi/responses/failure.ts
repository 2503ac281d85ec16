/** Turns responses with an error status into errors for the model. */

import { isObject } from '../../jsonrpc/message.ts'
import { ToolError } from '../../server/errors.ts'
import { isDeeperThan } from '../document/structure.ts'
import type { ApiResponse } from '../requests/send.ts'
import { parseExactly } from '../schemas/integers.ts'
import { bodyText } from './body-text.ts'
import type { Redactor } from './redact.ts'

const MAX_MESSAGE_LENGTH = 2000
const MAX_BODY_BYTES = 64 * 1024
/** JSON that is nested more deeply is treated as text. */
export const MAX_RESPONSE_DEPTH = 500
/** Members of error responses with a message, as APIs and RFC 9457 call them. */
const MESSAGE_MEMBERS: readonly string[] = [
  'message',
  'error_description',
  'detail',
  'title',
  'error',
  'errors',
  'reason',
  'description',
  'msg',
]
const MAX_DEPTH = 4

/** Returns the error of a response: the operation, the status, and the message of the API without secrets. */
export function failureOf(where: string, response: ApiResponse, redactor: Redactor): ToolError {
  const { status, statusText, headers } = response
  const message = messageOf(response, redactor)
  const retry = headers.get('retry-after')
  const location = status < 400 ? headers.get('location') : null
  const parts = [`${where} failed: ${[status, redactor.text(statusText)].filter(Boolean).join(' ')}`, message]
  const notes = [location && `Location: ${redactor.text(location)}`, retry && `Retry after: ${redactor.text(retry)}`]
  return new ToolError([...parts, ...notes].filter(Boolean).join('\n'))
}

/**
 * Returns the message, and after it the body if it says more, such as the fields that are wrong. Secrets are replaced before texts are cut, so
 * that no half of one remains.
 */
function messageOf({ headers, bytes }: ApiResponse, redactor: Redactor): string {
  const text = bodyText({ headers, bytes: bytes.subarray(0, MAX_BODY_BYTES) }).trim()
  const type = headers.get('content-type') ?? ''
  if (/json/.test(type) || /^[{[]/.test(text)) {
    const parsed = parseJson(text)
    if (parsed !== undefined && !isDeeperThan(parsed, MAX_RESPONSE_DEPTH)) {
      const value = redactor.value(parsed)
      const message = isObject(value) ? findMessage(value) : ''
      const body = JSON.stringify(value)
      const details = isOnlyMessage(value) ? '' : body.slice(0, MAX_MESSAGE_LENGTH)
      return [message, details].filter(Boolean).join('\n') || body.slice(0, MAX_MESSAGE_LENGTH)
    }
  }
  return /html/.test(type) || /^\s*</.test(text) ? '' : redactor.text(text).slice(0, MAX_MESSAGE_LENGTH)
}

/** Reports whether a body says nothing besides its message: an object with one text. */
function isOnlyMessage(value: unknown): boolean {
  if (!isObject(value)) return false
  const members = Object.values(value)
  return members.length === 1 && (typeof members[0] === 'string' || isOnlyMessage(members[0])) && findMessage(value) !== ''
}

function parseJson(text: string): unknown {
  try {
    return parseExactly(text)
  } catch {
    return undefined
  }
}

function findMessage(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value
  if (depth > MAX_DEPTH) return ''
  if (Array.isArray(value))
    return value
      .slice(0, 10)
      .map((item) => findMessage(item, depth + 1))
      .filter(Boolean)
      .join('; ')
  if (!isObject(value)) return ''
  const messages = MESSAGE_MEMBERS.map((name) => (Object.hasOwn(value, name) ? findMessage(value[name], depth + 1) : ''))
  const fields = ['field', 'param', 'code', 'path']
    .filter((name) => typeof value[name] === 'string')
    .map((name) => `${name}: ${value[name]}`)
  const text = [...new Set(messages.filter(Boolean))].join(': ')
  return [text, text && depth > 0 && fields.length > 0 ? `(${fields.join(', ')})` : '']
    .filter(Boolean)
    .join(' ')
    .slice(0, MAX_MESSAGE_LENGTH)
}
