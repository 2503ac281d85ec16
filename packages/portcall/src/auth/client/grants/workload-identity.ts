import { isSameIssuer } from '../../../../../util/src/issuer.ts'
import {
  type AuthProviderOptions,
  checkGrantOptions,
  createAuthProvider,
  type GrantOptionNames,
  type OAuthProvider,
} from '../auth-provider.ts'
import { AuthError } from '../errors.ts'
import { JWT_BEARER, requestTokens } from '../oauth/token-endpoint.ts'
import type { AuthorizationServer, GrantType } from '../types.ts'

export interface WorkloadIdentityOptions extends AuthProviderOptions {
  /**
   * The authorization server that the assertion is for. No other receives it, whatever the MCP server names. Default: the one that is the
   * audience of the assertion. Set it if the audience is something other than the issuer.
   */
  readonly issuer?: string
  /**
   * Returns the platform's assertion about this workload: a JWT with the authorization server as its audience, such as a projected service
   * account token of Kubernetes. Called whenever an access token is needed.
   */
  readonly assertion: () => string | Promise<string>
}

const NAMES: GrantOptionNames<WorkloadIdentityOptions> = { issuer: 'text', assertion: 'function' }
const REQUIRED = { assertion: "Pass a function that returns the platform's assertion: () => readFile(path, 'utf8')" }

/** An assertion that an authorization server has refused. */
interface RefusedAssertion {
  readonly assertion: string
  readonly error: AuthError
}

/**
 * Obtains tokens for a program whose platform vouches for it, without a client id, a secret or a registration. An assertion that was refused
 * is not sent again, and no other grant is tried instead.
 * https://github.com/modelcontextprotocol/modelcontextprotocol/issues/1933
 *
 * @example
 * const assertion = () => readFile('/var/run/secrets/tokens/login', 'utf8')
 * const notes = await connect('https://notes.example.com/mcp', { auth: workloadIdentity({ assertion }) })
 */
export function workloadIdentity(options: WorkloadIdentityOptions): OAuthProvider {
  checkGrantOptions('workloadIdentity()', options, { own: NAMES, required: REQUIRED })
  const { issuer } = options
  const refusedAssertions = new Map<string, RefusedAssertion>()
  const grant: GrantType = {
    name: 'workload',
    silent: true,
    client: async () => undefined,
    async obtain(context) {
      const { server, endpoint, scope } = context
      const assertion = (await options.assertion()).trim()
      if (issuer === undefined ? !isAudience(await audienceOf(assertion), server) : !isSameIssuer(issuer, server.issuer))
        throw new AuthError(
          'token_refused',
          `The assertion is not for ${server.issuer}, which the server named, and was not sent`,
        )
      const key = JSON.stringify([endpoint.href, server.issuer, scope])
      const refused = refusedAssertions.get(key)
      if (refused?.assertion === assertion) throw refused.error
      try {
        const parameters = { grant_type: JWT_BEARER, assertion, ...(scope !== undefined && { scope }) }
        return await requestTokens(context, undefined, parameters)
      } catch (error) {
        if (error instanceof AuthError && error.response) refusedAssertions.set(key, { assertion, error })
        throw error
      }
    },
  }
  return createAuthProvider(grant, options)
}

async function audienceOf(assertion: string): Promise<readonly string[]> {
  const { decodeJwt } = await import('jose')
  try {
    return [decodeJwt(assertion).aud ?? []].flat()
  } catch {
    throw new AuthError('token_refused', 'The assertion is not a JWT')
  }
}

/** Reports whether an audience contains the authorization server (RFC 7523, section 3). */
function isAudience(audience: readonly string[], { issuer, token_endpoint: endpoint }: AuthorizationServer): boolean {
  return audience.some((one) => isSameIssuer(one, issuer) || one === `${issuer}/` || `${one}/` === issuer || one === endpoint)
}
