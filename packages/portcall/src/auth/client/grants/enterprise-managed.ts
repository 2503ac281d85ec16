import {
  type AuthProviderOptions,
  CLIENT_REQUIRED,
  checkGrantOptions,
  createAuthProvider,
  type GrantOptionNames,
  type OAuthProvider,
} from '../auth-provider.ts'
import { createSafeFetch } from '../http/safe-fetch.ts'
import { JWT_BEARER, requestTokens } from '../oauth/token-endpoint.ts'
import { bindToIssuer, chooseIssuer, type PreRegisteredClient } from '../registration/pre-registered.ts'
import { type IdentityProvider, requestIdentityAssertion, type SubjectToken } from './token-exchange.ts'

export interface EnterpriseManagedOptions extends AuthProviderOptions {
  /** The identity provider that the user is signed in to. */
  readonly identityProvider: IdentityProvider
  /** Returns the token that identifies the user: an ID token, or another one with its type. Called whenever an access token is needed. */
  readonly subject: () => string | SubjectToken | Promise<string | SubjectToken>
  /** The client as registered with the authorization server of the MCP server. */
  readonly client: PreRegisteredClient
}

const NAMES: GrantOptionNames<EnterpriseManagedOptions> = { identityProvider: 'object', subject: 'function', client: 'object' }
const REQUIRED = {
  identityProvider: 'Pass { issuer, client } of the identity provider',
  subject: 'Pass a function that returns the ID token of the user',
  client: CLIENT_REQUIRED,
}

/**
 * Obtains tokens for a user of an enterprise identity provider, which decides what the user may access, without asking the user. The identity
 * provider issues an assertion (ID-JAG), which the authorization server of the MCP server exchanges for an access token.
 * https://github.com/modelcontextprotocol/ext-auth/blob/main/specification/stable/enterprise-managed-authorization.mdx
 *
 * @example
 * const identityProvider = { issuer: 'https://sso.example.com', client: { clientId: 'desk', clientSecret } }
 * const client = { clientId: 'desk-at-notes', clientSecret: another, issuer: 'https://login.notes.example' }
 * const auth = enterpriseManaged({ identityProvider, client, subject: () => session.idToken })
 */
export function enterpriseManaged(options: EnterpriseManagedOptions): OAuthProvider {
  checkGrantOptions('enterpriseManaged()', options, { own: NAMES, required: REQUIRED })
  const { client, identityProvider, subject, allow = [] } = options
  const trustedUrl = new URL(identityProvider.tokenEndpoint ?? identityProvider.issuer)
  const { fetch } = createSafeFetch({ trustedUrl, allow, fetch: options.fetch, proxy: options.proxy })
  return createAuthProvider(
    {
      name: `enterprise ${identityProvider.issuer} ${client.clientId}`,
      chooseIssuer: (issuers) => chooseIssuer(issuers, client),
      silent: true,
      client: async () => client,
      async obtain(context) {
        const { server, resource, scope, signal } = context
        const identity = await bindToIssuer(client, context)
        const request = { audience: server.issuer, resource, scope }
        const assertion = await requestIdentityAssertion(await subject(), request, { identityProvider, fetch, signal })
        return requestTokens(context, identity, {
          grant_type: JWT_BEARER,
          assertion,
          ...(scope !== undefined && { scope }),
        })
      },
    },
    options,
  )
}
