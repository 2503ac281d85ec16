import type { AuthProvider } from '../../protocol/authorizer.ts'
import { type Allowance, createReach } from './http/reach.ts'

/** Gives an access token that the host has from elsewhere. `refused` is the one that the server did not take, when there was one. */
export type TokenSource = (request: { readonly endpoint: URL; readonly refused?: string }) => string | Promise<string>

/** Where tokens that come from elsewhere may be sent. */
export interface TokenOptions {
  /** `insecureHttp`, where the server has neither https nor is on this machine. */
  readonly allow?: readonly Allowance[]
}

/**
 * Sends a token that the host gets by itself: `auth: token(() => readToken())`. It is asked for each request; when the server refuses a
 * token, it is asked once more, and the request is sent again if it gives another one.
 *
 * Connecting throws an AuthError `address_refused` when the token would travel without https to another machine.
 */
export function token(source: TokenSource, { allow = [] }: TokenOptions = {}): AuthProvider {
  return {
    authorizer(endpoint) {
      createReach({ given: endpoint, allow }).check(endpoint)
      let next: string | undefined
      return {
        async headers() {
          const given = next ?? (await source({ endpoint }))
          next = undefined
          return { authorization: `Bearer ${given}` }
        },
        async answered({ status }, { headers, retries }) {
          if (status !== 401 || retries > 0) return false
          const refused = headers.authorization?.slice('Bearer '.length) ?? ''
          const given = await source({ endpoint, refused })
          if (given === refused) return false
          next = given
          return true
        },
      }
    },
  }
}
