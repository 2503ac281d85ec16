import { sha256 } from '../../../util/src/digest.ts'
import { isLoopbackHost } from '../../../util/src/loopback-host.ts'
import { setLru } from '../../../util/src/lru.ts'
import { parseUrl } from '../../../util/src/parse-url.ts'
import { pathOf } from '../../../util/src/request-target.ts'
import type { DocumentRequest, HookResponse, PublicDocuments } from '../protocol/http.ts'
import { REVISIONS } from '../protocol/revisions.ts'
import {
  CARD_TYPE,
  CATALOG_PATH,
  CATALOG_TYPE,
  type CardOptions,
  type CatalogEntry,
  cardPathOf,
  LEGACY_CARD_PATHS,
  LEGACY_CATALOG_PATHS,
  type ServerCard,
} from '../protocol/server-card.ts'
import type { Implementation } from '../protocol/types.ts'
import type { HttpOptions } from '../transports/http/server/options.ts'
import { parsePublicUrl } from './public-url.ts'
import { createAiCatalog, createServerCard } from './server-card.ts'

/** A server and the options of its endpoint. */
export interface CardSource {
  /** The information about the server. */
  readonly info: Implementation | undefined
  /** The options of the endpoint. */
  readonly options: Pick<HttpOptions, 'card' | 'publicUrl' | 'path' | 'allowedHosts' | 'legacy'>
}

/** A document, as it is sent. */
interface SentDocument {
  readonly type: string
  readonly text: string
  readonly etag: string
}

/** The name of a document. */
type DocumentName = 'card' | 'catalog'

const DEFAULT_PATH = '/mcp'
const CACHE_TTL_MS = 3_600_000
const PREFLIGHT_MAX_AGE_S = 7200
/** The documents differ by the name that the server is called by, if no public URL is given. */
const MAX_HOSTS = 100
const MAX_ETAGS_LENGTH = 8192

/**
 * Creates what answers requests for the card of a server and for the catalog that names it. Returns `undefined` without the option `card`.
 *
 * @throws TypeError if the public URL is unknown, or if the information about the server makes no valid card.
 */
export function createCardDocuments({ info, options }: CardSource): PublicDocuments | undefined {
  if (!options.card) return undefined
  if (!info)
    throw new TypeError(
      'card: this server has no information about itself. Serve what createServer() or createGateway() returned',
    )
  const card = options.card === true ? {} : options.card
  const publicUrl = options.publicUrl === undefined ? undefined : parsePublicUrl(options.publicUrl)
  if (!publicUrl && typeof options.allowedHosts === 'symbol')
    throw new TypeError(
      "card: pass the URL of the endpoint too, publicUrl: 'https://api.example.com/mcp', since every Host is allowed",
    )
  const path = options.path?.replace(/\/\*$/, '') ?? publicUrl?.pathname ?? DEFAULT_PATH
  const names = pathsOf(path, publicUrl, card)
  const create = createTexts(info, card, versionsOf(options.legacy))
  for (const name of new Set(names.values())) create[name](publicUrl ?? new URL(path, 'https://localhost'))
  const kept = new Map<string, Promise<SentDocument>>()
  const entriesAt = card.catalog && typeof card.catalog.entries === 'function' ? card.catalog.entries : undefined
  const documentAt = async (name: DocumentName, url: URL): Promise<SentDocument> => {
    if (name === 'catalog' && entriesAt) return seal(name, create.catalog(url, await entriesAt(url)))
    const key = `${name} ${url.href}`
    const sent = kept.get(key) ?? seal(name, create[name](url))
    setLru(kept, [key, sent], MAX_HOSTS)
    return sent
  }
  const cacheControl = `public, max-age=${Math.floor((card.cacheTtlMs ?? CACHE_TTL_MS) / 1000)}`
  return ({ target }) => {
    const name = names.get(pathOf(target))
    if (name === undefined) return undefined
    return async (request) => {
      const url = publicUrl ?? urlFor(request, path)
      return url ? respond(request, await documentAt(name, url), cacheControl) : { status: 400 }
    }
  }
}

/** Maps the paths at which there is a document to its name. Proxies may have other paths than the server behind them. */
function pathsOf(path: string, publicUrl: URL | undefined, { catalog, profile }: CardOptions): ReadonlyMap<string, DocumentName> {
  const isCompatible = profile === 'compatible'
  const cards = [path, publicUrl?.pathname ?? path].map(cardPathOf)
  const catalogs = catalog === false ? [] : [CATALOG_PATH, ...(isCompatible ? LEGACY_CATALOG_PATHS : [])]
  return new Map([
    ...[...cards, ...(isCompatible ? LEGACY_CARD_PATHS : [])].map((one) => [one, 'card'] as const),
    ...catalogs.map((one) => [one, 'catalog'] as const),
  ])
}

/** Returns the versions of the Streamable HTTP transport that an endpoint supports. */
function versionsOf(legacy: HttpOptions['legacy']): readonly string[] {
  return REVISIONS.filter(({ era, http }) => http.transport === 'Streamable HTTP' && (era === 'modern' || legacy !== 'off')).map(
    ({ version }) => version,
  )
}

/** Creates the text of a document, given the URL of the endpoint. Entries that a function returns are passed. */
type CreateText = (url: URL, entries?: readonly CatalogEntry[]) => string

/** Returns the functions that make the texts of the documents. @throws TypeError, each of them, for what is not valid. */
function createTexts(
  info: Implementation,
  options: CardOptions,
  versions: readonly string[],
): { readonly [name in DocumentName]: CreateText } {
  const { host, entries: own } = options.catalog || {}
  const cardAt = (url: URL): ServerCard => createServerCard({ info, url, versions }, options)
  return {
    card: (url) => JSON.stringify(cardAt(url)),
    catalog(url, entries = typeof own === 'function' ? [] : (own ?? [])) {
      return JSON.stringify(createAiCatalog(cardAt(url), url, { ...(host && { host }), entries }))
    },
  }
}

async function seal(name: DocumentName, text: string): Promise<SentDocument> {
  return { type: name === 'card' ? CARD_TYPE : CATALOG_TYPE, text, etag: await etagOf(text) }
}

async function etagOf(text: string): Promise<string> {
  return `"${(await sha256(text)).slice(0, 22)}"`
}

/** Returns the URL by which a request called this server. Its host has been checked. Everything but this machine has to use https. */
function urlFor({ host }: DocumentRequest, path: string): URL | undefined {
  const url = parseUrl(`https://${host}${path}`)
  if (url && isLoopbackHost(url.hostname)) return parseUrl(`http://${host}${path}`)
  return url
}

/** Responds to a request for a document. Everybody may read it, pages of other origins too. */
function respond({ method, header }: DocumentRequest, { type, text, etag }: SentDocument, cacheControl: string): HookResponse {
  const cors = {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET',
    'access-control-allow-headers': 'Content-Type, If-None-Match',
    'access-control-expose-headers': 'ETag',
  }
  if (method === 'OPTIONS') return { status: 204, headers: { ...cors, 'access-control-max-age': String(PREFLIGHT_MAX_AGE_S) } }
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, headers: { ...cors, allow: 'GET, HEAD, OPTIONS' } }
  const headers = { ...cors, 'cache-control': cacheControl, etag }
  if (isKnown(header('if-none-match'), etag)) return { status: 304, headers }
  return { status: 200, headers: { ...headers, 'content-type': type }, body: text }
}

/** Reports whether one of the tags of `If-None-Match` is that of the document (RFC 9110, section 13.1.2). */
function isKnown(tags: string | undefined, etag: string): boolean {
  if (tags === undefined || tags.length > MAX_ETAGS_LENGTH) return false
  return tags.trim() === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
