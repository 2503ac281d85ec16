import type { Demand } from './challenge.ts'
import type { Reading } from './documents.ts'
import { readMetadata, readOwnMetadata } from './metadata.ts'
import { canonicalResource, readResource } from './resource.ts'
import type { AuthorizationServer, Grant } from './types.ts'

/** Where the tokens for a server come from. */
export interface Discovery {
  /** Its `issuer` has been checked. */
  readonly server: AuthorizationServer
  /** What tokens are asked for, in the form in which it is sent. */
  readonly resource: string
  /** The scopes that the resource names, separated by spaces. */
  readonly scope: string | undefined
}

export interface Discovering extends Reading {
  readonly endpoint: URL
  readonly demand: Demand
  readonly choose?: Grant['choose'] | undefined
}

/**
 * Finds the authorization server of a protected server: by the metadata of the resource; a server that has none is taken for one of revision
 * 2025-03-26, which is its own authorization server.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-server-discovery
 *
 * @throws AuthError `discovery_failed`, `resource_mismatch`, `issuer_mismatch`; what `fetch` throws.
 */
export async function discover({ endpoint, demand, choose, ...reading }: Discovering): Promise<Discovery> {
  const found = await readResource(endpoint, demand.resourceMetadata, reading)
  if (!found) {
    const server = await readOwnMetadata(endpoint, reading)
    return { server, resource: canonicalResource(endpoint), scope: undefined }
  }
  const { resource, authorizationServers, scopes } = found
  const [first = ''] = authorizationServers
  const issuer = choose ? choose(authorizationServers) : first
  return { server: await readMetadata(issuer, reading), resource, scope: scopes?.join(' ') }
}
