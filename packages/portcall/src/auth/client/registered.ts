import { AuthError } from './errors.ts'
import type { ClientIdentity, GrantContext } from './types.ts'

/** A client that was registered by hand. */
export interface RegisteredClient extends ClientIdentity {
  /** The authorization server that it is registered with. Default: the first that the MCP server names; no other gets to see it then. */
  readonly issuer?: string
}

/** Chooses the authorization server that a client is registered with. @throws AuthError `registration_failed` */
export function chooseIssuer(issuers: readonly string[], client: RegisteredClient | undefined): string {
  const [first = ''] = issuers
  const wanted = client?.issuer
  if (wanted === undefined || issuers.includes(wanted)) return wanted ?? first
  throw new AuthError(
    'registration_failed',
    `This client is registered with ${wanted}, which the server does not accept any more`,
  )
}

/**
 * Gives a client to the authorization server that it is registered with and to no other, wherever the MCP server leads: what proves a client is
 * worth something to whoever gets it.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-server-binding
 *
 * @throws AuthError `registration_failed`
 */
export async function pinned(client: RegisteredClient, { server, endpoint, store }: GrantContext): Promise<ClientIdentity> {
  const key = `portcall:issuer:${JSON.stringify([client.clientId, endpoint.href])}`
  const issuer = client.issuer ?? (await store.get(key))
  if (issuer === undefined) await store.set(key, server.issuer)
  if (issuer === undefined || issuer === server.issuer) return client
  throw new AuthError(
    'registration_failed',
    `This client is registered with ${issuer}, and the server now wants ${server.issuer}`,
  )
}
