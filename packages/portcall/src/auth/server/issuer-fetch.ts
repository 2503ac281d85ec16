import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { AllowedAddress } from '../client/http/address-policy.ts'
import { createSafeFetch } from '../client/http/safe-fetch.ts'
import type { AuthRequest } from '../client/types.ts'
import { VerifierUnavailableError } from './errors.ts'

/** Options of the requests to an issuer or identity provider. */
export interface IssuerFetchOptions {
  /** Sends the requests instead of the platform's client. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Exemptions from the address policy, such as `insecureHttp` for a private network without TLS. */
  readonly allow?: readonly AllowedAddress[]
}

/** A response with a JSON object. */
export interface JsonResponse {
  readonly status: number
  readonly json: JsonObject
}

const MAX_BYTES = 256 * 1024
const TIMEOUT_MS = 5000

/**
 * Creates a function that sends requests to one endpoint, without following redirects and with limits for size and time. It throws
 * VerifierUnavailableError if the endpoint does not respond with a JSON object.
 */
export function createIssuerFetch(
  endpoint: string,
  { fetch, allow = [] }: IssuerFetchOptions,
): (request?: AuthRequest) => Promise<JsonResponse> {
  const url = new URL(endpoint)
  const safe = createSafeFetch({ trustedUrl: url, fetch, allow, maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS, maxRedirects: 0 })
  return async (request) => {
    try {
      const response = await safe.fetch(url, request)
      const json: unknown = await response.json()
      if (!isObject(json)) throw new Error('The response is not a JSON object')
      return { status: response.status, json }
    } catch (cause) {
      throw new VerifierUnavailableError(`${url.origin} sent no usable response`, { cause })
    }
  }
}
