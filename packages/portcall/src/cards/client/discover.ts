/**
 * Finds the servers of a domain by its catalog and by their cards. All of it is remote text: claims of whoever controls the domain, which decide
 * nothing about access, and which lead to no address that the domain must not name.
 */
import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { isLoopbackHost } from '../../../../util/src/loopback-host.ts'
import { parseUrl } from '../../../../util/src/parse-url.ts'
import { type AddressPolicy, type AllowedAddress, createAddressPolicy } from '../../auth/client/http/address-policy.ts'
import { createSafeFetch, type SafeFetchOptions } from '../../auth/client/http/safe-fetch.ts'
import {
  CARD_TYPE,
  CATALOG_PATH,
  CATALOG_TYPE,
  type CatalogEntry,
  cardUrlOf,
  LEGACY_CARD_PATHS,
  LEGACY_CATALOG_PATHS,
  type ServerCard,
} from '../../protocol/server-card.ts'
import { describeProblems } from '../document-problem.ts'
import { validateServerCard } from '../validate-card.ts'
import { createDocumentCache } from './document-cache.ts'
import { type DiscoveredEndpoint, endpointsOf } from './endpoints.ts'
import { readCatalog } from './read-catalog.ts'
import { createDocumentReader, type DocumentOutcome, type DocumentReader } from './read-document.ts'

/** Options of `discoverServers`. */
export interface ServerDiscoveryOptions {
  /** Host names that may have private addresses, or the symbols of `portcall/auth/client`. Default: none. */
  readonly allow?: readonly AllowedAddress[]
  /** Sends the requests instead of the platform's client. The addresses that names resolve to are then not checked, and nothing is cached. */
  readonly fetch?: typeof globalThis.fetch
  /** The proxy for the requests: see `connect`. */
  readonly proxy?: SafeFetchOptions['proxy']
  /** Timeout for each document, in milliseconds. Default: 5000. */
  readonly documentTimeoutMs?: number
  /** The size of a document, in bytes. Default: 1 MiB. */
  readonly maxBytes?: number
  /** Aborts the search. */
  readonly signal?: AbortSignal
}

/** A document that was looked for. */
export interface DiscoveryAttempt {
  /** The URL, or the place of an embedded document. */
  readonly url: string
  /** The kind of document. */
  readonly kind: 'catalog' | 'card'
  /** How it ended. */
  readonly outcome: DocumentOutcome
  /** Why there is no document, or what is wrong with it. */
  readonly reason: string | undefined
}

/** A server that a domain names. */
export interface DomainServer {
  /** The card. */
  readonly card: ServerCard
  /** The name for display: that of the catalog, or of the card. */
  readonly title: string
  /** Where the card is. */
  readonly cardUrl: string
  /** The endpoints, in the order in which to try them. */
  readonly endpoints: readonly DiscoveredEndpoint[]
}

/** The servers of a domain, and where they were looked for. */
export interface ServerDiscovery {
  /** The origin that was asked. */
  readonly domain: string
  /** The servers with a valid card. */
  readonly servers: readonly DomainServer[]
  /** The documents that were looked for, in order. */
  readonly attempts: readonly DiscoveryAttempt[]
}

const DOCUMENT_TIMEOUT_MS = 5000
const MAX_BYTES = 1024 * 1024
const MAX_REDIRECTS = 3
const MAX_DEPTH = 4
const MAX_DOCUMENTS = 50
const NAMES: OptionNames<ServerDiscoveryOptions> = {
  allow: 'array',
  fetch: 1,
  proxy: 1,
  documentTimeoutMs: 'number',
  maxBytes: 1,
  signal: 1,
}
const cache = createDocumentCache()

/**
 * Finds the servers of a domain: the catalog at `/.well-known/ai-catalog.json` names their cards. Without one, looks for a card beside the URL, then
 * at the paths of earlier drafts. Does not connect to a server, and does not fail if there is none.
 *
 * @throws TypeError if the domain is none; the reason of the signal.
 */
export async function discoverServers(domain: string | URL, options: ServerDiscoveryOptions = {}): Promise<ServerDiscovery> {
  checkOptions('discoverServers()', options, { names: NAMES })
  const start = parseDomain(domain)
  const search = createSearch(start, options)
  await search.readCatalog(new URL(CATALOG_PATH, start), 1)
  const steps = [
    () => search.readCard(cardUrlOf(start)),
    ...LEGACY_CATALOG_PATHS.map((path) => () => search.readCatalog(new URL(path, start), 1)),
    ...LEGACY_CARD_PATHS.map((path) => () => search.readCard(new URL(path, start))),
  ]
  for (const step of steps) {
    if (search.servers.length > 0 || !search.canGoOn()) break
    await step()
  }
  return { domain: start.origin, servers: search.servers, attempts: search.attempts }
}

/** Parses a domain, with or without a scheme. @throws TypeError */
function parseDomain(domain: string | URL): URL {
  const text = String(domain)
  const url = text.includes('://') ? parseUrl(text) : parseUrl(`https://${text}`)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new TypeError('Expected a domain such as example.com, or the URL of one')
  if (!text.includes('://') && isLoopbackHost(url.hostname)) return new URL(`http://${text}`)
  return url
}

interface Search {
  readonly servers: DomainServer[]
  readonly attempts: DiscoveryAttempt[]
  readCatalog(url: URL, depth: number): Promise<void>
  readCard(url: URL): Promise<void>
  /** Reports whether the domain can be reached at all. */
  canGoOn(): boolean
}

function createSearch(domain: URL, options: ServerDiscoveryOptions): Search {
  const { allow = [], fetch, proxy, signal } = options
  const { documentTimeoutMs: timeoutMs = DOCUMENT_TIMEOUT_MS, maxBytes = MAX_BYTES } = options
  const safe = createSafeFetch({ trustedUrl: domain, allow, fetch, proxy, timeoutMs, maxBytes, maxRedirects: MAX_REDIRECTS })
  const reader = createDocumentReader({
    fetch: safe.fetch,
    signal,
    cache: fetch ? undefined : cache,
    cacheKey: JSON.stringify([domain.origin, allow.map(String), maxBytes]),
  })
  return searchWith(reader, domain, createAddressPolicy({ trustedUrl: domain, allow }))
}

function searchWith(reader: DocumentReader, domain: URL, policy: AddressPolicy): Search {
  const servers: DomainServer[] = []
  const attempts: DiscoveryAttempt[] = []
  const visited = new Set<string>()

  const note = (attempt: Omit<DiscoveryAttempt, 'reason'>, reason?: string): void => void attempts.push({ ...attempt, reason })
  const open = async (url: URL, kind: DiscoveryAttempt['kind']): Promise<unknown> => {
    if (visited.has(url.href)) return undefined
    if (visited.size >= MAX_DOCUMENTS) {
      if (attempts.at(-1)?.outcome !== 'refused')
        note({ url: url.href, kind, outcome: 'refused' }, `more than ${MAX_DOCUMENTS} documents`)
      return undefined
    }
    visited.add(url.href)
    const { outcome, reason, value } = await reader.read(url, kind === 'card' ? CARD_TYPE : CATALOG_TYPE)
    if (outcome === 'found') return value
    note({ url: url.href, kind, outcome }, reason)
    return undefined
  }
  const addCard = (card: unknown, url: string, entry?: CatalogEntry): void => {
    const problems = validateServerCard(card)
    if (problems.length > 0) return note({ url, kind: 'card', outcome: 'invalid' }, describeProblems(problems))
    const valid = card as ServerCard
    const title = entry?.displayName ?? valid.title ?? valid.name
    servers.push({ card: valid, title, cardUrl: url, endpoints: endpointsOf(valid, domain, policy) })
    note({ url, kind: 'card', outcome: 'found' })
  }
  const follow = async (entry: CatalogEntry, base: URL, depth: number): Promise<void> => {
    const kind = entry.type === CARD_TYPE ? 'card' : 'catalog'
    const place = `${base.href}#${entry.identifier}`
    if (entry.url === undefined)
      return kind === 'card' ? addCard(entry.data, place, entry) : addCatalog(entry.data, new URL(base), depth + 1)
    const url = parseUrl(entry.url)
    if (!url) return note({ url: place, kind, outcome: 'invalid' }, 'the URL is not valid')
    if (kind === 'catalog') return readCatalogAt(url, depth + 1)
    const card = await open(url, 'card')
    if (card !== undefined) addCard(card, url.href, entry)
  }
  const addCatalog = async (document: unknown, url: URL, depth: number): Promise<void> => {
    const kind = 'catalog'
    if (depth > MAX_DEPTH) return note({ url: url.href, kind, outcome: 'refused' }, `catalogs nested deeper than ${MAX_DEPTH}`)
    const { entries, problems, isCatalog } = readCatalog(document)
    const reason = problems.length > 0 ? problems.join('; ') : undefined
    note({ url: url.href, kind, outcome: isCatalog ? 'found' : 'invalid' }, reason)
    for (const entry of entries) await follow(entry, url, depth)
  }
  const readCatalogAt = async (url: URL, depth: number): Promise<void> => {
    const document = await open(url, 'catalog')
    if (document !== undefined) await addCatalog(document, url, depth)
  }
  return {
    servers,
    attempts,
    readCatalog: readCatalogAt,
    async readCard(url) {
      const card = await open(url, 'card')
      if (card !== undefined) addCard(card, url.href)
    },
    canGoOn: () => attempts.every(({ outcome }) => outcome !== 'unreachable' && outcome !== 'refused'),
  }
}
