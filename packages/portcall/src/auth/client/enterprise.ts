import type { AuthProvider } from '../../protocol/authorizer.ts'
import { exchangeSubject, type IdentityProvider, type SubjectToken } from './exchange.ts'
import { createFlow, type FlowOptions } from './flow.ts'
import { createGuard } from './http/fetch.ts'
import { chooseIssuer, pinned, type RegisteredClient } from './registered.ts'
import { JWT_BEARER, requestTokens } from './token.ts'

/** How the identity provider of a company vouches for its user. */
export interface EnterpriseOptions extends FlowOptions {
  readonly identityProvider: IdentityProvider
  /** Gives what says who the user is: an ID token, or something else that says what it is. Asked whenever a token is needed. */
  readonly subject: () => string | SubjectToken | Promise<string | SubjectToken>
  /** This client, as the authorization server of the MCP server knows it. */
  readonly client: RegisteredClient
}

/**
 * Gets tokens for a user who has signed in at the identity provider of an enterprise, which decides what they may use. The user is not asked:
 * the provider makes an assertion (an ID-JAG) for the authorization server of the MCP server, and that one gives a token for it.
 * https://github.com/modelcontextprotocol/ext-auth/blob/main/specification/stable/enterprise-managed-authorization.mdx
 *
 * @example
 * const identityProvider = { issuer: 'https://sso.example.com', client: { clientId: 'desk', clientSecret } }
 * const client = { clientId: 'desk-at-notes', clientSecret: another, issuer: 'https://login.notes.example' }
 * const auth = enterprise({ identityProvider, client, subject: () => session.idToken })
 */
export function enterprise(options: EnterpriseOptions): AuthProvider {
  const { client, identityProvider, subject, allow = [], fetch: own } = options
  const { fetch } = createGuard({ given: new URL(identityProvider.tokenEndpoint ?? identityProvider.issuer), allow, fetch: own })
  return createFlow(
    {
      name: `enterprise ${identityProvider.issuer} ${client.clientId}`,
      choose: (issuers) => chooseIssuer(issuers, client),
      silent: true,
      client: async () => client,
      async obtain(context) {
        const { server, resource, scope, signal } = context
        const identity = await pinned(client, context)
        const wanted = { audience: server.issuer, resource, scope }
        const assertion = await exchangeSubject(await subject(), wanted, { identityProvider, fetch, signal })
        return requestTokens(context, identity, { grant_type: JWT_BEARER, assertion, ...(scope !== undefined && { scope }) })
      },
    },
    options,
  )
}
