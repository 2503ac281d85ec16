import { isSameIssuer } from '../../../../../util/src/issuer.ts'
import { AuthError } from '../errors.ts'
import type { ClientIdentity, GrantContext } from '../types.ts'

/** A client that was registered by hand. */
export interface PreRegisteredClient extends ClientIdentity {
  /**
   * The authorization server that the client is registered with. No other receives its credentials. Default: the first one that the MCP server
   * names.
   */
  readonly issuer?: string
}

/** Chooses the authorization server that a client is registered with. @throws AuthError `registration_failed` */
export function chooseIssuer(issuers: readonly string[], client: PreRegisteredClient | undefined): string {
  const [first = ''] = issuers
  const registered = client?.issuer
  if (registered === undefined) return first
  const listed = issuers.find((issuer) => isSameIssuer(issuer, registered))
  if (listed !== undefined) return listed
  throw new AuthError('registration_failed', `The client is registered with ${registered}, which the server does not accept`)
}

/**
 * Returns the client if the authorization server is the one that it is registered with, whatever the MCP server names: another one must not
 * receive its credentials. Without a configured issuer, the first authorization server that was used is stored and required from then on.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-server-binding
 *
 * @throws AuthError `registration_failed`
 */
export async function bindToIssuer(
  client: PreRegisteredClient,
  { server, endpoint, store }: GrantContext,
): Promise<ClientIdentity> {
  const key = `portcall:issuer:${JSON.stringify([client.clientId, endpoint.href])}`
  const issuer = client.issuer ?? (await store.get(key))
  if (issuer === undefined) await store.set(key, server.issuer)
  if (issuer === undefined || isSameIssuer(issuer, server.issuer)) return client
  throw new AuthError(
    'registration_failed',
    `The client is registered with ${issuer}, but the server now requires ${server.issuer}`,
  )
}
