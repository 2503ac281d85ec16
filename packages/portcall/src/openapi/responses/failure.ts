/** Turns responses with an error status into errors for the model. */

import { ToolError } from '../../entrypoints/index.ts'
import { isObject } from '../../entrypoints/jsonrpc.ts'
import { isDeeperThan } from '../document/structure.ts'
import type { ApiResponse } from '../requests/send.ts'
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

/** Secrets are replaced before texts are cut, so that no half of one remains. */
function messageOf({ headers, bytes }: ApiResponse, redactor: Redactor): string {
  const text = new TextDecoder().decode(bytes.subarray(0, MAX_BODY_BYTES)).trim()
  const type = headers.get('content-type') ?? ''
  if (/json/.test(type) || text.startsWith('{')) {
    const parsed = parseJson(text)
    if (parsed !== undefined && !isDeeperThan(parsed, MAX_RESPONSE_DEPTH)) {
      const value = redactor.value(parsed)
      return (isObject(value) && findMessage(value)) || JSON.stringify(value).slice(0, MAX_MESSAGE_LENGTH)
    }
  }
  return /html/.test(type) || /^\s*</.test(text) ? '' : redactor.text(text).slice(0, MAX_MESSAGE_LENGTH)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
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
