import {
  type AuthProviderOptions,
  CLIENT_REQUIRED,
  checkGrantOptions,
  createAuthProvider,
  type GrantOptionNames,
  type OAuthProvider,
} from '../auth-provider.ts'
import { requestTokens } from '../oauth/token-endpoint.ts'
import { bindToIssuer, chooseIssuer, type PreRegisteredClient } from '../registration/pre-registered.ts'
import type { GrantType } from '../types.ts'

export interface ClientCredentialsOptions extends AuthProviderOptions {
  /** The registered client with its secret or key. Set its `issuer`, so that no other authorization server receives the credentials. */
  readonly client: PreRegisteredClient
}

const NAMES: GrantOptionNames<ClientCredentialsOptions> = { client: 'object' }

/**
 * Obtains tokens for a program that acts on its own behalf, without a user.
 * https://github.com/modelcontextprotocol/ext-auth/blob/main/specification/draft/oauth-client-credentials.mdx
 *
 * @example
 * const client = { clientId: 'nightly', clientSecret: process.env.NIGHTLY_SECRET, issuer: 'https://login.example.com' }
 * const notes = await connect('https://notes.example.com/mcp', { auth: clientCredentials({ client }) })
 */
export function clientCredentials(given: ClientCredentialsOptions): OAuthProvider {
  checkGrantOptions('clientCredentials()', given, { own: NAMES, required: { client: CLIENT_REQUIRED } })
  const { client, ...options } = given
  const grant: GrantType = {
    name: `client_credentials ${client.clientId}`,
    chooseIssuer: (issuers) => chooseIssuer(issuers, client),
    silent: true,
    client: async () => client,
    async obtain(context) {
      const { scope } = context
      const parameters = { grant_type: 'client_credentials', ...(scope !== undefined && { scope }) }
      return requestTokens(context, await bindToIssuer(client, context), parameters)
    },
  }
  return createAuthProvider(grant, options)
}
