import type { AuthProviderOptions } from '../../auth/client/auth-provider.ts'
import { AuthError } from '../../auth/client/errors.ts'
import type { PreRegisteredClient } from '../../auth/client/registration/pre-registered.ts'
import type { GrantType } from '../../auth/client/types.ts'
import type { Middleware } from '../../jsonrpc/exchange.ts'
import type { AuthProvider } from '../../protocol/authorizer.ts'
import { setLru } from '../../util/lru.ts'
import type { CredentialsProvider } from '../options.ts'

/** Options of `callerIdentity`. */
export interface CallerIdentityOptions extends Omit<AuthProviderOptions, 'account' | 'store' | 'storeTimeoutMs' | 'dpop'> {
  /** The gateway as registered with the authorization server of the MCP server. Set its `issuer`: it receives the tokens of callers. */
  readonly client: PreRegisteredClient
  /** Additional parameters of the token request, such as `audience`. Default: none. */
  readonly parameters?: Readonly<Record<string, string>>
}

/** Exchanges the tokens of callers. */
export interface CallerIdentity {
  /** The credentials of the servers. Pass it to `createGateway`. */
  readonly credentials: CredentialsProvider
  /** Remembers the token of each caller, in memory. Pass it to `createGateway`. */
  readonly middleware: Middleware
}

const MAX_CALLERS = 10_000
const BEARER = /^bearer +/i
const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token'
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:token-exchange'

/**
 * Calls servers in the name of the caller: the authorization server of the MCP server exchanges the token that the caller sent to the gateway
 * for one that is valid for the MCP server (RFC 8693). Only that authorization server receives the caller's token, and only servers over HTTP
 * receive exchanged ones.
 *
 * @throws TypeError if `client` has no issuer.
 *
 * @example
 * const { credentials, middleware } = callerIdentity({ client: { clientId: 'gateway', clientSecret, issuer: 'https://login.example.com' } })
 */
export function callerIdentity({ client, parameters = {}, ...options }: CallerIdentityOptions): CallerIdentity {
  if (client.issuer === undefined)
    throw new TypeError('client.issuer is required: this authorization server receives the tokens of callers')
  /** The last token of each principal. Requests with it were authenticated as this principal. */
  const tokens = new Map<string, string>()
  const subjectOf = (principal: string): string => {
    const token = tokens.get(principal)
    if (token === undefined) throw new AuthError('denied', 'The caller has sent no token that could be exchanged')
    return token
  }
  return {
    async credentials({ principal }) {
      if (principal === undefined) throw new AuthError('denied', 'Callers must be authenticated: their tokens are exchanged')
      return { auth: await createExchange(() => subjectOf(principal), { client, parameters, options }) }
    },
    middleware(request, context, next) {
      const authorization = context.http?.header('authorization') ?? ''
      if (context.auth && BEARER.test(authorization))
        setLru(tokens, [context.auth.principal, authorization.replace(BEARER, '')], MAX_CALLERS)
      return next(request, context)
    },
  }
}

interface ExchangeOptions extends Required<Pick<CallerIdentityOptions, 'client' | 'parameters'>> {
  readonly options: AuthProviderOptions
}

/** Creates a provider that exchanges the subject token. Tokens stay in memory. */
async function createExchange(subject: () => string, { client, parameters, options }: ExchangeOptions): Promise<AuthProvider> {
  const [{ createAuthProvider }, { requestTokens }, { bindToIssuer, chooseIssuer }] = await Promise.all([
    import('../../auth/client/auth-provider.ts'),
    import('../../auth/client/oauth/token-endpoint.ts'),
    import('../../auth/client/registration/pre-registered.ts'),
  ])
  const grant: GrantType = {
    name: `token_exchange ${client.clientId}`,
    chooseIssuer: (issuers) => chooseIssuer(issuers, client),
    silent: true,
    client: async () => client,
    async obtain(context) {
      const { scope } = context
      return requestTokens(context, await bindToIssuer(client, context), {
        grant_type: GRANT_TYPE,
        subject_token: subject(),
        subject_token_type: TOKEN_TYPE,
        requested_token_type: TOKEN_TYPE,
        ...(scope !== undefined && { scope }),
        ...parameters,
      })
    },
  }
  return createAuthProvider(grant, options)
}
