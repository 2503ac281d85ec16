import { withoutUndefined } from '../../../../../util/src/without-undefined.ts'
import { readId, readNumber, readText } from '../../members.ts'
import { AuthError } from '../errors.ts'
import { loadOAuth } from '../oauth/load-oauth.ts'
import { type EndpointInfo, isFinalRefusal, readOAuthResponse, toAuthError } from '../oauth/oauth-response.ts'
import { joinScopes, splitScopes } from '../tokens/scopes.ts'
import type { AuthorizationServer, ClientAuthMethod, ClientIdentity, GrantContext } from '../types.ts'
import type { ClientSources, ResolveRequest } from './registration-request.ts'

/** A dynamic registration as stored. */
export interface StoredRegistration extends ClientIdentity {
  readonly redirectUris: readonly string[]
  /** The scopes that were registered. Absent if the registration names none. */
  readonly scope?: string
  /** Milliseconds since 1970. */
  readonly secretExpiresAt?: number
  /** When a user was first sent to the authorization server since the last user returned. Milliseconds since 1970. */
  readonly unansweredSince?: number
}

/**
 * Registers a client dynamically (RFC 7591), with the scopes of this sign-in and those of the resource. If the server refuses that, registers
 * it with fewer scopes, and at last with none.
 *
 * @throws AuthError `registration_failed`
 */
export async function registerClient(
  context: GrantContext,
  request: ResolveRequest,
  sources: ClientSources,
): Promise<StoredRegistration> {
  const all = joinScopes(context.scope, knownScopes(context))
  const [first, ...others] = new Set(
    sources.registrationMetadata?.scope === undefined ? [all, context.scope, undefined] : [undefined],
  )
  const register = (scope: string | undefined): Promise<StoredRegistration> =>
    sendRegistration(context, { request, scope }, sources)
  try {
    return await register(first)
  } catch (error) {
    if (!(error instanceof AuthError) || !isFinalRefusal(error)) throw error
    for (const scope of others) {
      const registered = await register(scope).catch(() => undefined)
      context.signal.throwIfAborted()
      if (registered) return registered
    }
    throw error
  }
}

/** Returns the scopes of the resource, without those that the authorization server does not list. */
function knownScopes({ resourceScope, server }: GrantContext): string | undefined {
  const { scopes_supported: supported } = server
  return joinScopes(...splitScopes(resourceScope).filter((scope) => !supported || supported.includes(scope)))
}

async function sendRegistration(
  context: GrantContext,
  { request, scope }: { readonly request: ResolveRequest; readonly scope: string | undefined },
  { clientName = 'MCP client', registrationMetadata }: ClientSources,
): Promise<StoredRegistration> {
  const { oauth, server, options } = await loadOAuth(context)
  if (server.registration_endpoint === undefined)
    throw new AuthError(
      'registration_failed',
      `${server.issuer} does not support dynamic client registration: pass a registered client as \`client\``,
    )
  const endpoint: EndpointInfo = {
    reason: 'registration_failed',
    label: `The registration endpoint of ${server.issuer}`,
  }
  const metadata: Record<string, unknown> = {
    client_name: clientName,
    ...defaultMetadata(server, request),
    ...(scope !== undefined && { scope }),
    ...registrationMetadata,
  }
  try {
    const response = await oauth.dynamicClientRegistrationRequest(server, metadata as never, options)
    return toStoredRegistration(await readOAuthResponse(response, endpoint), { metadata, redirectUris: request.redirectUris })
  } catch (error) {
    context.signal.throwIfAborted()
    throw toAuthError(error, endpoint)
  }
}

function defaultMetadata(server: AuthorizationServer, request: ResolveRequest): Record<string, unknown> {
  const { redirectUris, grantTypes, applicationType, refusedMethods = [] } = request
  return {
    // Some servers refuse an empty list.
    ...(redirectUris.length > 0 && { redirect_uris: redirectUris }),
    grant_types: grantTypes,
    response_types: redirectUris.length > 0 ? ['code'] : [],
    application_type: applicationType,
    token_endpoint_auth_method: offeredMethods(server).find((method) => !refusedMethods.includes(method)) ?? 'none',
  }
}

const METHODS: readonly ClientAuthMethod[] = ['none', 'client_secret_post', 'client_secret_basic']

/**
 * Returns the authentication methods that a new client can use, the best first. A public client is preferred, because a secret that any client
 * can register for protects nothing and expires at some servers. Of the others, the first that the server lists comes first: servers support
 * that one at least.
 */
export function offeredMethods({ token_endpoint_auth_methods_supported: supported }: AuthorizationServer): ClientAuthMethod[] {
  const listed = supported?.flatMap((one) => METHODS.find((method) => method === one) ?? []) ?? METHODS
  return [...new Set([...(listed.includes('none') ? (['none'] as const) : []), ...listed])]
}

/** Reads a registration. Only the client id is needed: an optional member with a wrong value counts as absent. */
function toStoredRegistration(
  response: Readonly<Record<string, unknown>>,
  { metadata, redirectUris }: { readonly metadata: Readonly<Record<string, unknown>>; readonly redirectUris: readonly string[] },
): StoredRegistration {
  const clientId = readId(response.client_id)
  if (clientId === undefined) throw new Error('there is no client_id')
  const clientSecret = readText(response.client_secret)
  const { token_endpoint_auth_method: requested } = metadata
  // A server that issues a secret, and does not name the method, has not registered the public client that was requested.
  const method = readText(response.token_endpoint_auth_method) ?? (clientSecret && requested === 'none' ? undefined : requested)
  const authentication = METHODS.find((one) => one === method && (one === 'none' || clientSecret !== undefined))
  const expiresAt = readNumber(response.client_secret_expires_at) ?? 0
  const scope = readText(metadata.scope)
  return {
    clientId,
    redirectUris,
    ...withoutUndefined({ scope, clientSecret, authentication }),
    ...(clientSecret !== undefined && expiresAt > 0 && { secretExpiresAt: expiresAt * 1000 }),
  }
}
