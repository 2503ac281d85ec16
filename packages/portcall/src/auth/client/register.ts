import { AuthError } from './errors.ts'
import { loadOAuth } from './oauth.ts'
import { type Answering, asAuthError, readAnswer } from './refusal.ts'
import { chooseIssuer, pinned, type RegisteredClient } from './registered.ts'
import type { AuthorizationServer, ClientAuthMethod, ClientIdentity, GrantContext, Tokens } from './types.ts'
import { readJson } from './vault.ts'

/** What a client may be known by; the first that the authorization server takes is used. */
export interface ClientSources {
  /** Registered by hand. */
  readonly client?: RegisteredClient
  /** The https address of a document that describes this client, which is then its id. */
  readonly clientMetadataUrl?: string
  /** More members of a dynamic registration: `client_uri`, `logo_uri`, `software_id` … */
  readonly registration?: Readonly<Record<string, unknown>>
  /** What users read in the consent page. Default: `MCP client`. */
  readonly clientName?: string
}

/** What a client needs to be registered for. */
export interface Registration {
  readonly redirectUris: readonly string[]
  readonly grantTypes: readonly string[]
  /** `native` for what runs on its user's machine, `web` for what runs elsewhere. */
  readonly applicationType: 'native' | 'web'
}

/** Finds the id of this client at an authorization server, or has it registered. */
export interface Clients {
  /** @throws AuthError `registration_failed` */
  identify(context: GrantContext, wanted: Registration): Promise<Identified>
  /** The client that tokens were issued to. */
  issuedTo(tokens: Tokens): ClientIdentity | undefined
  /** The registration that is remembered for an authorization server. */
  remembered(context: GrantContext): Promise<StoredRegistration | undefined>
  /** The authorization server does not know the registration any more. */
  forget(context: GrantContext): Promise<void>
  /** Chooses the authorization server that the client is registered with. @throws AuthError `registration_failed` */
  choose(issuers: readonly string[]): string
}

/** A client id, and whether it was registered on the way; what it says of itself is then needed as long as its tokens. */
export interface Identified {
  readonly client: ClientIdentity
  readonly registered: boolean
}

/** A dynamic registration as it rests in the store. */
export interface StoredRegistration extends ClientIdentity {
  readonly redirectUris: readonly string[]
  /** Milliseconds since 1970. */
  readonly secretExpiresAt?: number
}

/**
 * Makes what finds client ids. In this order: the one that is given, the address of the metadata document where that is supported, the
 * registration that is remembered for this issuer, a new one.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#client-registration-approaches
 */
export function createClients(sources: ClientSources, owner: string): Clients {
  const { client, clientMetadataUrl } = sources
  if (clientMetadataUrl !== undefined) checkMetadataUrl(clientMetadataUrl)
  const keyOf = ({ server }: GrantContext): string => `portcall:client:${JSON.stringify([owner, server.issuer])}`
  const remembered: Clients['remembered'] = async (context) =>
    readJson<StoredRegistration>(await context.store.get(keyOf(context)))

  return {
    remembered,
    forget: (context) => context.store.delete(keyOf(context)),
    issuedTo: ({ client: registered }) => registered ?? client ?? documented(clientMetadataUrl),
    choose: (issuers) => chooseIssuer(issuers, client),
    async identify(context, wanted) {
      const { server } = context
      if (client) return { client: await pinned(client, context), registered: false }
      const document = documented(clientMetadataUrl)
      if (document && server.client_id_metadata_document_supported) return { client: document, registered: false }
      const known = await remembered(context)
      if (known && isUsable(known, wanted)) return { client: identityOf(known), registered: true }
      const registered = await registerClient(context, wanted, sources)
      await context.store.set(keyOf(context), JSON.stringify(registered))
      return { client: identityOf(registered), registered: true }
    },
  }
}

function documented(url: string | undefined): ClientIdentity | undefined {
  return url === undefined ? undefined : { clientId: url }
}

function checkMetadataUrl(text: string): void {
  const url = new URL(text)
  if (url.protocol !== 'https:' || url.pathname === '/' || url.hash)
    throw new TypeError('The address of a client metadata document is https, and has a path')
}

function isUsable({ redirectUris, secretExpiresAt = Infinity }: StoredRegistration, wanted: Registration): boolean {
  return wanted.redirectUris.every((uri) => redirectUris.includes(uri)) && Date.now() < secretExpiresAt
}

function identityOf({ redirectUris: _, secretExpiresAt: __, ...identity }: StoredRegistration): ClientIdentity {
  return identity
}

/** Registers a client with an authorization server (RFC 7591). @throws AuthError `registration_failed` */
async function registerClient(context: GrantContext, wanted: Registration, sources: ClientSources): Promise<StoredRegistration> {
  const { oauth, server, options } = await loadOAuth(context)
  if (server.registration_endpoint === undefined)
    throw new AuthError(
      'registration_failed',
      `${server.issuer} registers no clients by itself: give the id of one as \`client\``,
    )
  const answering: Answering = { fault: 'registration_failed', who: `The registration at ${server.issuer}` }
  const metadata = describe(server, wanted, sources)
  try {
    const response = await oauth.dynamicClientRegistrationRequest(server, metadata as never, options)
    const answer = { client_secret_expires_at: 0, ...(await readAnswer(response, answering)) }
    return readRegistration(await oauth.processDynamicClientRegistrationResponse(Response.json(answer, { status: 201 })), wanted)
  } catch (error) {
    context.signal.throwIfAborted()
    throw asAuthError(error, answering)
  }
}

function describe(server: AuthorizationServer, wanted: Registration, sources: ClientSources): Record<string, unknown> {
  return {
    client_name: sources.clientName ?? 'MCP client',
    ...sources.registration,
    redirect_uris: wanted.redirectUris,
    grant_types: wanted.grantTypes,
    response_types: wanted.redirectUris.length > 0 ? ['code'] : [],
    application_type: wanted.applicationType,
    token_endpoint_auth_method: registeredMethod(server),
  }
}

/** A public client where that may be: a secret that everybody can get on the way protects nothing. */
function registeredMethod({ token_endpoint_auth_methods_supported: supported = ['none'] }: AuthorizationServer): string {
  const preferred: readonly ClientAuthMethod[] = ['none', 'client_secret_basic', 'client_secret_post']
  return preferred.find((method) => supported.includes(method)) ?? 'none'
}

interface Answered {
  readonly client_id: string
  readonly client_secret?: string
  readonly client_secret_expires_at?: number
  readonly token_endpoint_auth_method?: unknown
}

const METHODS: readonly unknown[] = ['none', 'client_secret_basic', 'client_secret_post'] satisfies ClientAuthMethod[]

function readRegistration(answer: Answered, { redirectUris }: Registration): StoredRegistration {
  const { client_id: clientId, client_secret: clientSecret, client_secret_expires_at: expires = 0 } = answer
  const { token_endpoint_auth_method: method } = answer
  return {
    clientId,
    redirectUris,
    ...(clientSecret !== undefined && { clientSecret }),
    ...(METHODS.includes(method) && { authentication: method as ClientAuthMethod }),
    ...(clientSecret !== undefined && expires > 0 && { secretExpiresAt: expires * 1000 }),
  }
}
