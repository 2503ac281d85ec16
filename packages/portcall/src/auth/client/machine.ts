import type { AuthProvider } from '../../protocol/authorizer.ts'
import { createFlow, type FlowOptions } from './flow.ts'
import { chooseIssuer, pinned, type RegisteredClient } from './registered.ts'
import { requestTokens } from './token.ts'
import type { Grant } from './types.ts'

/** How a program proves who it is. */
export interface ClientCredentialsOptions extends FlowOptions {
  /** The client that is registered, with the secret or the key that proves it. Say its `issuer` too, and nobody else gets to see that. */
  readonly client: RegisteredClient
}

/**
 * Gets tokens for a program that acts for itself, and not for a user.
 * https://github.com/modelcontextprotocol/ext-auth/blob/main/specification/draft/oauth-client-credentials.mdx
 *
 * @example
 * const client = { clientId: 'nightly', clientSecret: process.env.NIGHTLY_SECRET, issuer: 'https://login.example.com' }
 * const notes = await connect('https://notes.example.com/mcp', { auth: clientCredentials({ client }) })
 */
export function clientCredentials({ client, ...options }: ClientCredentialsOptions): AuthProvider {
  const grant: Grant = {
    name: `client_credentials ${client.clientId}`,
    choose: (issuers) => chooseIssuer(issuers, client),
    silent: true,
    client: async () => client,
    async obtain(context) {
      const { scope } = context
      const parameters = { grant_type: 'client_credentials', ...(scope !== undefined && { scope }) }
      return requestTokens(context, await pinned(client, context), parameters)
    },
  }
  return createFlow(grant, options)
}
