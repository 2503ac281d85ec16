/** Turns responses with an error status into errors for the model. */

import { ToolError } from '../../entrypoints/index.ts'
import { isObject } from '../../entrypoints/jsonrpc.ts'
import type { ApiResponse } from '../requests/send.ts'

const MAX_MESSAGE_LENGTH = 2000
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
export function failureOf(where: string, response: ApiResponse, secrets: readonly string[]): ToolError {
  const { status, statusText, headers } = response
  const message = redact(messageOf(response), secrets)
  const retry = headers.get('retry-after')
  const parts = [`${where} failed: ${[status, statusText].filter(Boolean).join(' ')}`, message, retry && `Retry after: ${retry}`]
  return new ToolError(parts.filter(Boolean).join('\n'))
}

/** Replaces secrets in a text. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '[secret]'), text)
}

function messageOf({ headers, bytes }: ApiResponse): string {
  const text = new TextDecoder().decode(bytes.subarray(0, 64 * 1024)).trim()
  const type = headers.get('content-type') ?? ''
  if (/json/.test(type) || text.startsWith('{')) {
    const parsed = parseJson(text)
    if (parsed !== undefined)
      return (isObject(parsed) && findMessage(parsed)) || JSON.stringify(parsed).slice(0, MAX_MESSAGE_LENGTH)
  }
  return /html/.test(type) || /^\s*</.test(text) ? '' : text.slice(0, MAX_MESSAGE_LENGTH)
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
