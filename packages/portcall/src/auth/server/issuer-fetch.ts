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

type IssuerRequest<T> = (request?: AuthRequest) => Promise<T>

/**
 * Creates a function that sends requests to one endpoint, without following redirects and with limits for size and time. It throws
 * VerifierUnavailableError if the endpoint does not respond with a JSON object.
 */
export function createIssuerFetch(endpoint: string, options: IssuerFetchOptions): IssuerRequest<JsonResponse> {
  return createIssuerRequest(endpoint, options, async (response) => {
    const json: unknown = await response.json()
    if (!isObject(json)) throw new Error('The response is not a JSON object')
    return { status: response.status, json }
  })
}

/** Does the same as `createIssuerFetch` for an endpoint whose response has no body. The function returns the status. */
export function createIssuerNotification(endpoint: string, options: IssuerFetchOptions): IssuerRequest<number> {
  return createIssuerRequest(endpoint, options, async ({ status }) => status)
}

function createIssuerRequest<T>(
  endpoint: string,
  { fetch, allow = [] }: IssuerFetchOptions,
  read: (response: Response) => Promise<T>,
): IssuerRequest<T> {
  const url = new URL(endpoint)
  const safe = createSafeFetch({ trustedUrl: url, fetch, allow, maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS, maxRedirects: 0 })
  return async (request) => {
    try {
      return await read(await safe.fetch(url, request))
    } catch (cause) {
      throw new VerifierUnavailableError(`${url.origin} sent no usable response`, { cause })
    }
  }
}
