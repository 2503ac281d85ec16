import { sha256 } from '../../../../util/src/digest.ts'
import { setLru } from '../../../../util/src/lru.ts'
import type { AuthProviderOptions } from '../../auth/client/auth-provider.ts'
import { AuthError } from '../../auth/client/errors.ts'
import type { PreRegisteredClient } from '../../auth/client/registration/pre-registered.ts'
import type { GrantType } from '../../auth/client/types.ts'
import { TOKEN_DIGEST } from '../../jsonrpc/authorization-key.ts'
import { type Auth, deriveContext, type Middleware } from '../../jsonrpc/exchange.ts'
import type { AuthProvider } from '../../protocol/authorizer.ts'
import type { CredentialsProvider } from '../api/options.ts'

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
  /**
   * Remembers the tokens of callers, in memory, until they expire, and adds `tokenDigest` to the `auth` of requests: each token has its own connections and
   * exchanged tokens. Pass it to `createGateway`.
   */
  readonly middleware: Middleware
}

const MAX_TOKENS = 10_000
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
  /** The tokens by their digests. Requests with them were authenticated. */
  const tokens = new Map<string, SubjectToken>()
  const digests = new Map<string, Promise<string>>()
  const digestOf = (token: string): Promise<string> => {
    const digest = digests.get(token) ?? sha256(token)
    setLru(digests, [token, digest], MAX_TOKENS)
    return digest
  }
  const subjectOf = (digest: unknown): SubjectToken => {
    const subject = tokens.get(String(digest))
    if (subject && !isExpired(subject)) return subject
    tokens.delete(String(digest))
    throw new AuthError('denied', 'The caller has sent no token that could be exchanged, or it has expired')
  }
  return {
    async credentials({ auth }) {
      if (!auth) throw new AuthError('denied', 'Callers must be authenticated: their tokens are exchanged')
      return { auth: await createExchange(() => subjectOf(auth[TOKEN_DIGEST]), { client, parameters, options }) }
    },
    async middleware(request, context, next) {
      const { auth } = context
      const authorization = context.http?.header('authorization') ?? ''
      if (!auth || !BEARER.test(authorization)) return next(request, context)
      const token = authorization.replace(BEARER, '')
      const digest = await digestOf(token)
      setLru(tokens, [digest, { token, expiresAt: auth.expiresAt }], MAX_TOKENS)
      return next(request, deriveContext(context, { auth: identify(auth, digest) }))
    },
  }
}

const identified = new WeakMap<Auth, Auth>()

/** Adds the digest of its token to an authorization. The same object has the same result, whose keys are computed once. */
function identify(auth: Auth, digest: string): Auth {
  const known = identified.get(auth)
  if (known?.[TOKEN_DIGEST] === digest) return known
  const created = { ...auth, [TOKEN_DIGEST]: digest }
  identified.set(auth, created)
  return created
}

/** The token of a caller. */
interface SubjectToken {
  readonly token: string
  /** In seconds since 1970, if it is known. */
  readonly expiresAt: number | undefined
}

function isExpired({ expiresAt }: SubjectToken): boolean {
  return expiresAt !== undefined && expiresAt * 1000 <= Date.now()
}

interface ExchangeOptions extends Required<Pick<CallerIdentityOptions, 'client' | 'parameters'>> {
  readonly options: AuthProviderOptions
}

/** Creates a provider that exchanges the subject token. Tokens stay in memory, no longer than the subject token is valid. */
async function createExchange(
  subject: () => SubjectToken,
  { client, parameters, options }: ExchangeOptions,
): Promise<AuthProvider> {
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
      const { token, expiresAt = Infinity } = subject()
      const tokens = await requestTokens(context, await bindToIssuer(client, context), {
        grant_type: GRANT_TYPE,
        subject_token: token,
        subject_token_type: TOKEN_TYPE,
        requested_token_type: TOKEN_TYPE,
        ...(scope !== undefined && { scope }),
        ...parameters,
      })
      const latest = Math.min(tokens.expiresAt ?? Infinity, expiresAt * 1000)
      return { ...tokens, ...(latest < Infinity && { expiresAt: latest }) }
    },
  }
  return createAuthProvider(grant, options)
}
