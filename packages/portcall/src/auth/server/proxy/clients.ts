/**
 * Who asks for tokens. A client that registers gets an id that holds what it has registered, sealed: nothing is kept for it, and a flood of
 * registrations fills nothing. A client may also be known by the https address of a document that describes it.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/client-registration
 */
import { isObject, type JsonObject } from '../../../jsonrpc/message.ts'
import { createMemoryStore } from '../../../stores/memory-store.ts'
import type { Sealer } from '../../../stores/seal.ts'
import { createGuard } from '../../client/http/fetch.ts'
import type { OAuthProxyOptions } from './options.ts'
import { OAuthRefusal } from './pages.ts'
import { isRedirectUri } from './redirects.ts'

/** A client, as it has described itself. */
export interface ProxyClient {
  readonly id: string
  readonly name: string
  readonly redirectUris: readonly string[]
  /** Where its document is; others are known by nothing but their own word. */
  readonly documentHost?: string
}

/** The clients of a proxy. */
export interface Clients {
  /** Registers a client. @throws OAuthRefusal */
  register(metadata: JsonObject): Promise<ProxyClient>
  /** @throws OAuthRefusal for a client that nobody knows. */
  find(id: string): Promise<ProxyClient>
}

export interface ClientsOptions extends Pick<OAuthProxyOptions, 'registration' | 'documents' | 'fetch' | 'allow' | 'resource'> {
  readonly sealer: Sealer
  readonly clientMs: number
}

const MAX_REDIRECTS = 5
const MAX_NAME_LENGTH = 80
const MAX_DOCUMENT_BYTES = 16 * 1024
const DOCUMENT_WITHIN_MS = 5000
const DOCUMENT_MS = 5 * 60_000
const MAX_DOCUMENT_MS = 24 * 60 * 60_000
const MAX_DOCUMENTS = 1000
const PURPOSE = 'proxy-client'
const PREFIX = 'dcr.'
/** What would be shown in another way than it is, or not at all: controls, marks of direction, tags. */
const DECEPTIVE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu

/** Makes the clients of one proxy. */
export function createClients({ registration = true, documents = true, sealer, clientMs, ...outside }: ClientsOptions): Clients {
  const fetchDocument = createDocuments(outside)
  return {
    async register(metadata) {
      if (!registration) throw new OAuthRefusal('access_denied', 'Clients cannot register here', 403)
      const { name, redirectUris } = describe(metadata)
      const id = PREFIX + (await sealer.seal(PURPOSE, { name, redirectUris }, { ttlMs: clientMs }))
      return { id, name, redirectUris }
    },
    async find(id) {
      if (documents && id.startsWith('https://')) return fetchDocument(id)
      const known = id.startsWith(PREFIX) ? await sealer.open(PURPOSE, id.slice(PREFIX.length)).catch(() => undefined) : undefined
      if (!known) throw new OAuthRefusal('invalid_client', 'The client is not known here: it has to register', 401)
      return { id, ...(known as Pick<ProxyClient, 'name' | 'redirectUris'>) }
    },
  }
}

/** Fetches what clients say of themselves, and keeps it for as long as they say, within bounds. */
function createDocuments({ fetch, allow = [], resource }: Pick<ClientsOptions, 'fetch' | 'allow' | 'resource'>): Clients['find'] {
  const limits = { maxBytes: MAX_DOCUMENT_BYTES, withinMs: DOCUMENT_WITHIN_MS, maxRedirects: 0 }
  const guard = createGuard({ given: new URL(resource), fetch, allow, ...limits })
  const kept = createMemoryStore({ maxEntries: MAX_DOCUMENTS })

  return async (id) => {
    const known = await kept.get(id)
    if (known !== undefined) return JSON.parse(known) as ProxyClient
    if (!isDocumentUrl(id)) throw new OAuthRefusal('invalid_client', 'This is no address of a client document', 401)
    const response = await guard.fetch(id, { headers: { accept: 'application/json' } }).catch(() => undefined)
    const isJson = /^application\/([\w.-]+\+)?json\b/.test(response?.headers.get('content-type') ?? '')
    const document: unknown = response?.status === 200 && isJson ? await response.json().catch(() => undefined) : undefined
    if (!isObject(document) || document.client_id !== id)
      throw new OAuthRefusal('invalid_client', 'The client document cannot be read, or is of another client', 401)
    const client = { id, documentHost: new URL(id).host, ...describe(document) }
    await kept.set(id, JSON.stringify(client), { ttlMs: ageOf(response) })
    return client
  }
}

function isDocumentUrl(id: string): boolean {
  const url = URL.canParse(id) ? new URL(id) : undefined
  return url?.href === id && url.pathname !== '/' && !id.includes('#') && !url.username && !url.password
}

function ageOf(response: Response | undefined): number {
  const [, seconds] = /(?:^|[\s,])max-age=(\d{1,9})/.exec(response?.headers.get('cache-control') ?? '') ?? []
  return seconds === undefined ? DOCUMENT_MS : Math.min(Math.max(Number(seconds) * 1000, 1000), MAX_DOCUMENT_MS)
}

/** Reads what a client says of itself (RFC 7591, section 2). @throws OAuthRefusal */
function describe(metadata: JsonObject): Pick<ProxyClient, 'name' | 'redirectUris'> {
  const { redirect_uris: uris, client_name: name, token_endpoint_auth_method: method = 'none', client_id: id } = metadata
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_REDIRECTS || !uris.every(isRedirectUri))
    throw new OAuthRefusal('invalid_redirect_uri', 'redirect_uris: up to five of https, or of http on this machine')
  if (id !== undefined && method !== 'none') throw new OAuthRefusal('invalid_client', 'Only public clients are served here', 401)
  const shown = typeof name === 'string' ? name.replace(DECEPTIVE, '').trim().slice(0, MAX_NAME_LENGTH) : ''
  return { name: shown || 'A client without a name', redirectUris: uris }
}
