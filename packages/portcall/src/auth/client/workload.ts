import type { AuthProvider } from '../../protocol/authorizer.ts'
import { AuthError } from './errors.ts'
import { createFlow, type FlowOptions } from './flow.ts'
import { JWT_BEARER, requestTokens } from './token.ts'
import type { AuthorizationServer, Grant } from './types.ts'

/** How the platform vouches for a program. */
export interface WorkloadOptions extends FlowOptions {
  /**
   * The authorization server that the assertion is for. Default: the one that is its audience; needed where the audience is something else
   * than the issuer. No other gets to see the assertion, whatever the MCP server says.
   */
  readonly issuer?: string
  /**
   * Gives what the platform says about this workload: a JWT for the authorization server as its audience, such as a projected token of
   * Kubernetes. Asked whenever a token is needed.
   */
  readonly assertion: () => string | Promise<string>
}

/** The last assertion that an authorization server has refused. */
interface Refused {
  readonly assertion: string
  readonly error: AuthError
}

/**
 * Gets tokens for a program that the platform vouches for where it runs: no client id, no secret, no registration. An assertion that was refused
 * is not sent a second time, and nothing else is tried in its place.
 * https://github.com/modelcontextprotocol/modelcontextprotocol/issues/1933
 *
 * @example
 * const assertion = () => readFile('/var/run/secrets/tokens/login', 'utf8')
 * const notes = await connect('https://notes.example.com/mcp', { auth: workload({ assertion }) })
 */
export function workload({ assertion: read, issuer, ...options }: WorkloadOptions): AuthProvider {
  const refusals = new Map<string, Refused>()
  const grant: Grant = {
    name: 'workload',
    silent: true,
    client: async () => undefined,
    async obtain(context) {
      const { server, endpoint, scope } = context
      const assertion = (await read()).trim()
      if (issuer === undefined ? !isFor(await audienceOf(assertion), server) : issuer !== server.issuer)
        throw new AuthError(
          'token_refused',
          `The assertion is not for ${server.issuer}, which the server names: nothing was sent`,
        )
      const attempt = JSON.stringify([endpoint.href, server.issuer, scope])
      const refused = refusals.get(attempt)
      if (refused?.assertion === assertion) throw refused.error
      try {
        const parameters = { grant_type: JWT_BEARER, assertion, ...(scope !== undefined && { scope }) }
        return await requestTokens(context, undefined, parameters)
      } catch (error) {
        if (error instanceof AuthError && error.refusal) refusals.set(attempt, { assertion, error })
        throw error
      }
    },
  }
  return createFlow(grant, options)
}

async function audienceOf(assertion: string): Promise<readonly string[]> {
  const { decodeJwt } = await import('jose')
  try {
    return [decodeJwt(assertion).aud ?? []].flat()
  } catch {
    throw new AuthError('token_refused', 'The assertion of this workload is no JWT')
  }
}

/** Whether an audience is an authorization server (RFC 7523 section 3). */
function isFor(audience: readonly string[], { issuer, token_endpoint: endpoint }: AuthorizationServer): boolean {
  return audience.some((one) => one === issuer || one === `${issuer}/` || `${one}/` === issuer || one === endpoint)
}
