import { InvalidResponseError } from '../jsonrpc/errors.ts'
import type { HttpFetch, HttpFetchResponse, HttpTransfer } from '../transports/http/client/types.ts'

/**
 * Checks the option `fetch`, and what it returns: it is easily mistaken for the platform's function of that name.
 *
 * @throws TypeError if it is not a function.
 */
export function checkFetch(fetch: HttpFetch): HttpFetch {
  if (typeof fetch !== 'function') throw new TypeError(`The option fetch must be a function, not ${describe(fetch)}`)
  const send = (...args: Parameters<HttpFetch>): HttpTransfer => {
    const transfer: unknown = fetch(...args)
    if (!isTransfer(transfer)) {
      if (transfer instanceof Promise) transfer.catch(() => {})
      throw new InvalidResponseError(`The option fetch must return { response, cancel }, not ${describe(transfer)}. ${HINT}`)
    }
    return { cancel: () => transfer.cancel(), response: Promise.resolve(transfer.response).then(checkResponse) }
  }
  return Object.assign(send, { close: () => fetch.close?.() })
}

const HINT = "It is not the platform's fetch: see HttpFetch"

function isTransfer(value: unknown): value is HttpTransfer {
  return hasMembers(value, { response: 'object', cancel: 'function' })
}

/** @throws InvalidResponseError if a value is not the head of a response. */
function checkResponse(response: HttpFetchResponse): HttpFetchResponse {
  if (hasMembers(response, { status: 'number', header: 'function', body: 'object' })) return response
  throw new InvalidResponseError(
    `The response of the option fetch must be { status, header, body }, not ${describe(response)}. ${HINT}`,
  )
}

function hasMembers(value: unknown, types: { readonly [name: string]: string }): boolean {
  if (typeof value !== 'object' || value === null) return false
  const members = value as { readonly [name: string]: unknown }
  return Object.entries(types).every(([name, type]) => typeof members[name] === type && members[name] !== null)
}

function describe(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value === null ? value : typeof value)
  return `${/^[aeiou]/i.test(value.constructor?.name ?? '') ? 'an' : 'a'} ${value.constructor?.name ?? 'object'}`
}
