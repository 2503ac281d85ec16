import { withArticle } from '../../../util/src/pluralize.ts'
import { InvalidResponseError } from '../jsonrpc/errors.ts'
import type {
  CustomFetch,
  FetchResponse,
  HttpFetch,
  HttpFetchInit,
  HttpFetchResponse,
  HttpTransfer,
} from '../transports/http/client/types.ts'
import { WebFetchResponse } from '../transports/http/client/web-fetch.ts'

/**
 * Creates an HTTP client on top of the option `fetch`, and checks what it returns.
 *
 * @throws TypeError if it is not a function.
 */
export function checkFetch(fetch: CustomFetch): HttpFetch {
  if (typeof fetch !== 'function') throw new TypeError(`The option fetch must be a function, not ${describe(fetch)}`)
  const send = (url: URL, { method, headers, body, connectTimeoutMs }: HttpFetchInit): HttpTransfer => {
    const controller = new AbortController()
    const { signal } = controller
    const init = { method, headers, signal, redirect: 'manual' as const, connectTimeoutMs, ...(body !== undefined && { body }) }
    const sent: unknown = fetch(url, init)
    const response = Promise.resolve(isTransfer(sent) ? sent.response : sent).then((value) => readResponse(value, url))
    const cancel = (): void => (isTransfer(sent) ? sent.cancel() : controller.abort())
    return { response, cancel }
  }
  return Object.assign(send, { close: () => fetch.close?.() })
}

function isTransfer(value: unknown): value is HttpTransfer {
  return hasMembers(value, { response: 'object', cancel: 'function' })
}

/** Reads a response in either form. @throws InvalidResponseError if a value is none. */
function readResponse(value: unknown, url: URL): HttpFetchResponse {
  if (isOwnResponse(value)) return value
  if (isFetchResponse(value)) return new WebFetchResponse(value, url)
  throw new InvalidResponseError(
    `The option fetch must return a Response, or { response, cancel } as an HttpFetch does, not ${describe(value)}`,
  )
}

function isOwnResponse(value: unknown): value is HttpFetchResponse {
  return hasMembers(value, { status: 'number', header: 'function', body: 'object' })
}

function isFetchResponse(value: unknown): value is FetchResponse {
  if (!hasMembers(value, { status: 'number', headers: 'object' })) return false
  const { headers, body } = value as { headers: object; body?: unknown }
  return hasMembers(headers, { get: 'function' }) && (typeof body === 'object' || body === undefined)
}

function hasMembers(value: unknown, types: { readonly [name: string]: string }): boolean {
  if (typeof value !== 'object' || value === null) return false
  const members = value as { readonly [name: string]: unknown }
  return Object.entries(types).every(([name, type]) => typeof members[name] === type && members[name] !== null)
}

function describe(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value === null ? value : typeof value)
  return withArticle(value.constructor?.name ?? 'object')
}
