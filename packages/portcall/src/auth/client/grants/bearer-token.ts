import { checkOptions, type OptionNames } from '../../../../../util/src/check-options.ts'
import type { AuthProvider } from '../../../protocol/authorizer.ts'
import { type AllowedAddress, createAddressPolicy } from '../http/address-policy.ts'

/** Returns an access token. `rejectedToken` is the one that the server refused, if there was one. */
export type TokenSource = (request: { readonly endpoint: URL; readonly rejectedToken?: string }) => string | Promise<string>

/** Options of `bearerToken`. */
export interface BearerTokenOptions {
  /** Exemptions from the address policy: `insecureHttp` for a server on another machine without https. Default: none. */
  readonly allow?: readonly AllowedAddress[]
}

const NAMES: OptionNames<BearerTokenOptions> = { allow: 'array' }

/**
 * Sends tokens that your program obtains by itself: `auth: bearerToken(() => readToken())`. The function is called for each request. When the
 * server refuses a token, it is called again, and the request is retried if it returns another token.
 *
 * Connecting throws an AuthError `address_refused` if the token would be sent to another machine without https.
 */
export function bearerToken(source: TokenSource, options: BearerTokenOptions = {}): AuthProvider {
  if (typeof source !== 'function')
    throw new TypeError('bearerToken() needs a function that returns the token: bearerToken(() => token)')
  checkOptions('bearerToken()', options, { names: NAMES })
  const { allow = [] } = options
  return {
    authorizer(endpoint) {
      createAddressPolicy({ trustedUrl: endpoint, allow }).check(endpoint)
      let next: string | undefined
      return {
        async headers() {
          const token = next ?? (await source({ endpoint }))
          next = undefined
          return { authorization: `Bearer ${token}` }
        },
        async onResponse({ status }, { headers, retries }) {
          if (status !== 401 || retries > 0) return false
          const rejectedToken = headers.authorization?.slice('Bearer '.length) ?? ''
          const token = await source({ endpoint, rejectedToken })
          if (token === rejectedToken) return false
          next = token
          return true
        },
      }
    },
  }
}
