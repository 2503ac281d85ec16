/**
 * The clients of the proxy. The id of a dynamically registered client contains its sealed registration, so that nothing is stored and a flood
 * of registrations takes no memory. A client may also be identified by the https URL of its client ID metadata document.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/client-registration
 */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { createMemoryStore } from '../../stores/memory/store.ts'
import type { Sealer } from '../../stores/sealing/seal.ts'
import { createSafeFetch } from '../client/http/safe-fetch.ts'
import { OAuthEndpointError } from './http.ts'
import type { OAuthProxyOptions } from './options.ts'
import { isRedirectUri } from './redirects.ts'

/** A client as described by its own metadata. */
export interface ProxyClient {
  readonly id: string
  readonly name: string
  readonly redirectUris: readonly string[]
  /** The host of its metadata document. Absent for registered clients, whose name nobody has verified. */
  readonly documentHost?: string
}

export interface ProxyClients {
  /** Registers a client. @throws OAuthEndpointError */
  register(metadata: JsonObject): Promise<ProxyClient>
  /** @throws OAuthEndpointError for an unknown client. */
  find(id: string): Promise<ProxyClient>
}

export interface ProxyClientsOptions
  extends Pick<OAuthProxyOptions, 'dynamicRegistration' | 'metadataDocuments' | 'fetch' | 'allow' | 'resource'> {
  readonly sealer: Sealer
  readonly clientTtlMs: number
}

const MAX_REDIRECT_URIS = 5
const MAX_NAME_LENGTH = 80
const MAX_DOCUMENT_BYTES = 16 * 1024
const DOCUMENT_TIMEOUT_MS = 5000
const DOCUMENT_TTL_MS = 5 * 60_000
const MAX_DOCUMENT_TTL_MS = 24 * 60 * 60_000
const MAX_DOCUMENTS = 1000
const PURPOSE = 'proxy-client'
const PREFIX = 'dcr.'
/** Characters that are invisible or change how text is displayed: controls, direction marks, tags. */
const DECEPTIVE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu

export function createProxyClients(options: ProxyClientsOptions): ProxyClients {
  const { dynamicRegistration = true, metadataDocuments = true, sealer, clientTtlMs, ...fetchOptions } = options
  const fetchDocument = createDocumentFetch(fetchOptions)
  return {
    async register(metadata) {
      if (!dynamicRegistration) throw new OAuthEndpointError('access_denied', 'Dynamic client registration is disabled', 403)
      const { name, redirectUris } = parseMetadata(metadata)
      const id = PREFIX + (await sealer.seal(PURPOSE, { name, redirectUris }, { ttlMs: clientTtlMs }))
      return { id, name, redirectUris }
    },
    async find(id) {
      if (metadataDocuments && id.startsWith('https://')) return fetchDocument(id)
      const known = id.startsWith(PREFIX) ? await sealer.open(PURPOSE, id.slice(PREFIX.length)).catch(() => undefined) : undefined
      if (!known) throw new OAuthEndpointError('invalid_client', 'The client is not registered', 401)
      return { id, ...(known as Pick<ProxyClient, 'name' | 'redirectUris'>) }
    },
  }
}

/** Creates a function that fetches client metadata documents and caches them for as long as their `max-age` says, within bounds. */
function createDocumentFetch({
  fetch,
  allow = [],
  resource,
}: Pick<ProxyClientsOptions, 'fetch' | 'allow' | 'resource'>): ProxyClients['find'] {
  const limits = { maxBytes: MAX_DOCUMENT_BYTES, timeoutMs: DOCUMENT_TIMEOUT_MS, maxRedirects: 0 }
  const safe = createSafeFetch({ trustedUrl: new URL(resource), fetch, allow, ...limits })
  const cache = createMemoryStore({ maxEntries: MAX_DOCUMENTS })

  return async (id) => {
    const cached = await cache.get(id)
    if (cached !== undefined) return JSON.parse(cached) as ProxyClient
    if (!isDocumentUrl(id)) throw new OAuthEndpointError('invalid_client', 'The client id is not a valid document URL', 401)
    const response = await safe.fetch(id, { headers: { accept: 'application/json' } }).catch(() => undefined)
    const isJson = /^application\/([\w.-]+\+)?json\b/.test(response?.headers.get('content-type') ?? '')
    const document: unknown = response?.status === 200 && isJson ? await response.json().catch(() => undefined) : undefined
    if (!isObject(document) || document.client_id !== id)
      throw new OAuthEndpointError('invalid_client', 'The client document cannot be read or describes another client', 401)
    const client = { id, documentHost: new URL(id).host, ...parseMetadata(document) }
    await cache.set(id, JSON.stringify(client), { ttlMs: ttlOf(response) })
    return client
  }
}

function isDocumentUrl(id: string): boolean {
  const url = URL.canParse(id) ? new URL(id) : undefined
  return url?.href === id && url.pathname !== '/' && !id.includes('#') && !url.username && !url.password
}

function ttlOf(response: Response | undefined): number {
  const [, seconds] = /(?:^|[\s,])max-age=(\d{1,9})/.exec(response?.headers.get('cache-control') ?? '') ?? []
  return seconds === undefined ? DOCUMENT_TTL_MS : Math.min(Math.max(Number(seconds) * 1000, 1000), MAX_DOCUMENT_TTL_MS)
}

/** Parses client metadata (RFC 7591, section 2). @throws OAuthEndpointError */
function parseMetadata(metadata: JsonObject): Pick<ProxyClient, 'name' | 'redirectUris'> {
  const { redirect_uris: uris, client_name: name, token_endpoint_auth_method: method = 'none', client_id: id } = metadata
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_REDIRECT_URIS || !uris.every(isRedirectUri))
    throw new OAuthEndpointError('invalid_redirect_uri', 'redirect_uris needs one to five URLs with https, or http on loopback')
  if (id !== undefined && method !== 'none')
    throw new OAuthEndpointError('invalid_client', 'Only public clients are supported', 401)
  const displayName = typeof name === 'string' ? name.replace(DECEPTIVE, '').trim().slice(0, MAX_NAME_LENGTH) : ''
  return { name: displayName || 'An unnamed client', redirectUris: uris }
}
