import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { createGuard } from '../client/http/fetch.ts'
import type { Allowance } from '../client/http/reach.ts'
import type { AuthRequest } from '../client/types.ts'
import { VerifierUnavailable } from './errors.ts'

/** How an endpoint is asked that the operator has named. */
export interface OutsideOptions {
  /** Sends the requests instead of the platform. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** `insecureHttp` for a private network without TLS. */
  readonly allow?: readonly Allowance[]
}

/** An answer in JSON. */
export interface Fetched {
  readonly status: number
  readonly json: JsonObject
}

const MAX_BYTES = 256 * 1024
const WITHIN_MS = 5000

/**
 * Makes the way to one endpoint of an identity provider. It goes to that origin and nowhere else: redirects are not followed, and size and
 * time are bounded. The function rejects with VerifierUnavailable when there is no answer in JSON.
 */
export function createOutside(
  endpoint: string,
  { fetch, allow = [] }: OutsideOptions,
): (request?: AuthRequest) => Promise<Fetched> {
  const given = new URL(endpoint)
  const guard = createGuard({ given, fetch, allow, maxBytes: MAX_BYTES, withinMs: WITHIN_MS, maxRedirects: 0 })
  return async (request) => {
    try {
      const response = await guard.fetch(given, request)
      const json: unknown = await response.json()
      if (!isObject(json)) throw new Error('The answer is no JSON object')
      return { status: response.status, json }
    } catch (cause) {
      throw new VerifierUnavailable(`${given.origin} gives no answer that can be used`, { cause })
    }
  }
}
