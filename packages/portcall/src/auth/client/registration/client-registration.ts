import { normalizeIssuer } from '../../../../../util/src/issuer.ts'
import { withoutUndefined } from '../../../../../util/src/without-undefined.ts'
import { AuthError } from '../errors.ts'
import { coversScopes } from '../tokens/scopes.ts'
import { parseStored } from '../tokens/token-store.ts'
import type { ClientIdentity, GrantContext, TokenSet } from '../types.ts'
import { bindToIssuer, chooseIssuer } from './pre-registered.ts'
import { offeredMethods, registerClient, type StoredRegistration } from './register-client.ts'
import type { ClientSources, RegistrationRequest, ResolveRequest } from './registration-request.ts'

/** Identifies this client to authorization servers. */
export interface ClientRegistrar {
  /** Returns the client for an authorization server, and registers it if necessary. @throws AuthError `registration_failed` */
  resolve(context: GrantContext, request: ResolveRequest): Promise<ResolvedClient>
  /** Returns the client that tokens were issued to. */
  issuedTo(tokens: TokenSet): ClientIdentity | undefined
  /** Returns the stored registration for an authorization server. */
  load(context: GrantContext): Promise<StoredRegistration | undefined>
  /** Deletes the stored registration if it is this client. */
  forget(context: GrantContext, client: ClientIdentity): Promise<void>
  /**
   * Records that a user was sent to the authorization server as this client, and whether the user has returned. The page about an unknown client
   * never sends the user back, so a registration without any return is replaced.
   */
  recordSignIn(context: GrantContext, client: ClientIdentity, event: 'started' | 'returned'): Promise<void>
  /** Reports whether the client can be registered with another authentication method. */
  hasOtherMethod(context: GrantContext, refusedMethods: readonly string[]): boolean
  /** Chooses the authorization server that the client is registered with. @throws AuthError `registration_failed` */
  chooseIssuer(issuers: readonly string[]): string
}

export interface ResolvedClient {
  readonly client: ClientIdentity
  /** True if the client was registered dynamically. Its identity then has to be stored with its tokens. */
  readonly isDynamic: boolean
  /** True if the registration was stored before. */
  readonly isStored: boolean
}

/** The start of the keys of registrations. */
export const REGISTRATIONS = 'portcall:client:'

/**
 * Creates a registrar. It uses, in this order, the configured client, the metadata document if the server supports it, the stored registration
 * for this issuer, and a new registration.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#client-registration-approaches
 */
export function createClientRegistrar(sources: ClientSources, owner: string): ClientRegistrar {
  const { client, clientMetadataUrl } = sources
  if (clientMetadataUrl !== undefined) checkMetadataUrl(clientMetadataUrl)
  const documentClient = clientMetadataUrl === undefined ? undefined : { clientId: clientMetadataUrl }
  const keyOf = ({ server }: GrantContext): string => `${REGISTRATIONS}${JSON.stringify([owner, normalizeIssuer(server.issuer)])}`
  const load: ClientRegistrar['load'] = async (context) =>
    parseStored<StoredRegistration>(await context.store.get(keyOf(context)))
  /** Changes the stored registration if it is still that of the client. */
  const change = async (
    context: GrantContext,
    { clientId }: ClientIdentity,
    next: (stored: StoredRegistration) => StoredRegistration | undefined,
  ): Promise<void> => {
    const expected = await context.store.get(keyOf(context))
    const stored = parseStored<StoredRegistration>(expected)
    if (stored?.clientId !== clientId) return
    const changed = next(stored)
    const value = changed && JSON.stringify(changed)
    if (value !== expected) await context.store.compareAndSet(keyOf(context), { expected, value })
  }
  const register = async (context: GrantContext, request: ResolveRequest): Promise<ResolvedClient> => {
    const registration = await registerClient(context, request, sources)
    await context.store.set(keyOf(context), JSON.stringify(registration))
    return { client: identityOf(registration), isDynamic: true, isStored: false }
  }
  const fixed = (identity: ClientIdentity): ResolvedClient => ({ client: identity, isDynamic: false, isStored: true })
  /** A registration that lacks scopes, or whose users do not return, is replaced if the server allows it. */
  const mayBeStale = (
    stored: StoredRegistration,
    { scope }: GrantContext,
    { signInTtlMs = Infinity }: ResolveRequest,
  ): boolean => {
    const { scope: registered, unansweredSince = Infinity } = stored
    const lacksScopes =
      registered !== undefined && sources.registrationMetadata?.scope === undefined && !coversScopes(registered, scope)
    return lacksScopes || Date.now() - unansweredSince >= signInTtlMs
  }

  return {
    load,
    forget: (context, identity) => change(context, identity, () => undefined),
    recordSignIn: (context, identity, event) =>
      change(context, identity, ({ unansweredSince, ...stored }) =>
        event === 'returned' ? stored : { ...stored, unansweredSince: unansweredSince ?? Date.now() },
      ),
    issuedTo: ({ client: dynamicClient }) => dynamicClient ?? client ?? documentClient,
    chooseIssuer: (issuers) => chooseIssuer(issuers, client),
    hasOtherMethod: ({ server }, refusedMethods) =>
      sources.registrationMetadata?.token_endpoint_auth_method === undefined &&
      offeredMethods(server).some((method) => !refusedMethods.includes(method)),
    async resolve(context, request) {
      const { server } = context
      if (client) return fixed(await bindToIssuer(client, context))
      if (documentClient && server.client_id_metadata_document_supported) return fixed(documentClient)
      const stored = request.renew ? undefined : await load(context)
      if (!stored || !isUsable(stored, request)) return register(context, request)
      const kept: ResolvedClient = { client: identityOf(stored), isDynamic: true, isStored: true }
      if (!mayBeStale(stored, context, request)) return kept
      return register(context, request).catch((error: unknown) => {
        context.signal.throwIfAborted()
        if (error instanceof AuthError) return kept
        throw error
      })
    },
  }
}

function checkMetadataUrl(text: string): void {
  const url = new URL(text)
  if (url.protocol !== 'https:' || url.pathname === '/' || url.hash)
    throw new TypeError('clientMetadataUrl must be an https URL with a path and without a fragment')
}

function isUsable({ redirectUris, secretExpiresAt = Infinity }: StoredRegistration, request: RegistrationRequest): boolean {
  return request.redirectUris.every((uri) => redirectUris.includes(uri)) && Date.now() < secretExpiresAt
}

function identityOf(registration: StoredRegistration): ClientIdentity {
  const { clientId, clientSecret, authentication } = registration
  return { clientId, ...withoutUndefined({ clientSecret, authentication }) }
}
