import { AuthError } from '../errors.ts'
import { loadOAuth } from '../oauth/load-oauth.ts'
import { type EndpointInfo, readOAuthResponse, toAuthError } from '../oauth/oauth-response.ts'
import { parseStored } from '../tokens/token-store.ts'
import type { AuthorizationServer, ClientAuthMethod, ClientIdentity, GrantContext, TokenSet } from '../types.ts'
import { bindToIssuer, chooseIssuer, type PreRegisteredClient } from './pre-registered.ts'

/** How to identify the client. The first source that the authorization server supports is used. */
export interface ClientSources {
  /** A client that was registered by hand. */
  readonly client?: PreRegisteredClient
  /** The https URL of a client ID metadata document, which is then the client id. */
  readonly clientMetadataUrl?: string
  /** Additional members of a dynamic registration: `client_uri`, `logo_uri`, `software_id` … */
  readonly registrationMetadata?: Readonly<Record<string, unknown>>
  /** The name on the consent page. Default: `MCP client`. */
  readonly clientName?: string
}

/** What a client has to be registered for. */
export interface RegistrationRequest {
  readonly redirectUris: readonly string[]
  readonly grantTypes: readonly string[]
  /** `native` for programs on the user's machine, `web` for all others. */
  readonly applicationType: 'native' | 'web'
}

/** Identifies this client to authorization servers. */
export interface ClientRegistrar {
  /** Returns the client for an authorization server, and registers it if necessary. @throws AuthError `registration_failed` */
  resolve(context: GrantContext, request: RegistrationRequest): Promise<ResolvedClient>
  /** Returns the client that tokens were issued to. */
  issuedTo(tokens: TokenSet): ClientIdentity | undefined
  /** Returns the stored registration for an authorization server. */
  load(context: GrantContext): Promise<StoredRegistration | undefined>
  /** Deletes the stored registration. */
  forget(context: GrantContext): Promise<void>
  /** Chooses the authorization server that the client is registered with. @throws AuthError `registration_failed` */
  chooseIssuer(issuers: readonly string[]): string
}

export interface ResolvedClient {
  readonly client: ClientIdentity
  /** Whether the client was registered dynamically. Its identity then has to be stored with its tokens. */
  readonly isDynamic: boolean
}

/** A dynamic registration as stored. */
export interface StoredRegistration extends ClientIdentity {
  readonly redirectUris: readonly string[]
  /** Milliseconds since 1970. */
  readonly secretExpiresAt?: number
}

/**
 * Creates a registrar. It uses, in this order, the configured client, the metadata document if the server supports it, the stored registration
 * for this issuer, and a new registration.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#client-registration-approaches
 */
export function createClientRegistrar(sources: ClientSources, owner: string): ClientRegistrar {
  const { client, clientMetadataUrl } = sources
  if (clientMetadataUrl !== undefined) checkMetadataUrl(clientMetadataUrl)
  const documentClient = clientMetadataUrl === undefined ? undefined : { clientId: clientMetadataUrl }
  const keyOf = ({ server }: GrantContext): string => `portcall:client:${JSON.stringify([owner, server.issuer])}`
  const load: ClientRegistrar['load'] = async (context) =>
    parseStored<StoredRegistration>(await context.store.get(keyOf(context)))

  return {
    load,
    forget: (context) => context.store.delete(keyOf(context)),
    issuedTo: ({ client: dynamicClient }) => dynamicClient ?? client ?? documentClient,
    chooseIssuer: (issuers) => chooseIssuer(issuers, client),
    async resolve(context, request) {
      const { server } = context
      if (client) return { client: await bindToIssuer(client, context), isDynamic: false }
      if (documentClient && server.client_id_metadata_document_supported) return { client: documentClient, isDynamic: false }
      const stored = await load(context)
      if (stored && isUsable(stored, request)) return { client: identityOf(stored), isDynamic: true }
      const registration = await registerClient(context, request, sources)
      await context.store.set(keyOf(context), JSON.stringify(registration))
      return { client: identityOf(registration), isDynamic: true }
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

function identityOf({ redirectUris: _, secretExpiresAt: __, ...identity }: StoredRegistration): ClientIdentity {
  return identity
}

/** Registers a client dynamically (RFC 7591). @throws AuthError `registration_failed` */
async function registerClient(
  context: GrantContext,
  request: RegistrationRequest,
  sources: ClientSources,
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
  const metadata = clientMetadata(server, request, sources)
  try {
    const response = await oauth.dynamicClientRegistrationRequest(server, metadata as never, options)
    const body = { client_secret_expires_at: 0, ...(await readOAuthResponse(response, endpoint)) }
    const registered = await oauth.processDynamicClientRegistrationResponse(Response.json(body, { status: 201 }))
    return toStoredRegistration(registered, request)
  } catch (error) {
    context.signal.throwIfAborted()
    throw toAuthError(error, endpoint)
  }
}

function clientMetadata(
  server: AuthorizationServer,
  request: RegistrationRequest,
  sources: ClientSources,
): Record<string, unknown> {
  return {
    client_name: sources.clientName ?? 'MCP client',
    ...sources.registrationMetadata,
    redirect_uris: request.redirectUris,
    grant_types: request.grantTypes,
    response_types: request.redirectUris.length > 0 ? ['code'] : [],
    application_type: request.applicationType,
    token_endpoint_auth_method: chooseRegisteredMethod(server),
  }
}

/** Prefers a public client, because a secret that any client can register for protects nothing. */
function chooseRegisteredMethod({ token_endpoint_auth_methods_supported: supported = ['none'] }: AuthorizationServer): string {
  return METHODS.find((method) => supported.includes(method)) ?? 'none'
}

const METHODS: readonly ClientAuthMethod[] = ['none', 'client_secret_basic', 'client_secret_post']

interface RegistrationResponse {
  readonly client_id: string
  readonly client_secret?: string
  readonly client_secret_expires_at?: number
  readonly token_endpoint_auth_method?: unknown
}

function toStoredRegistration(response: RegistrationResponse, { redirectUris }: RegistrationRequest): StoredRegistration {
  const { client_id: clientId, client_secret: clientSecret, client_secret_expires_at: expiresAt = 0 } = response
  const authentication = METHODS.find((method) => method === response.token_endpoint_auth_method)
  return {
    clientId,
    redirectUris,
    ...(clientSecret !== undefined && { clientSecret }),
    ...(authentication && { authentication }),
    ...(clientSecret !== undefined && expiresAt > 0 && { secretExpiresAt: expiresAt * 1000 }),
  }
}
