import { isLoopbackHost } from '../../../util/src/loopback-host.ts'
import { withoutUndefined } from '../../../util/src/without-undefined.ts'
import {
  type AiCatalog,
  CARD_SCHEMA,
  CARD_TYPE,
  CATALOG_VERSION,
  type CardOptions,
  type CatalogEntry,
  type CatalogOptions,
  cardUrlOf,
  type ServerCard,
} from '../protocol/server-card.ts'
import type { Implementation } from '../protocol/types.ts'
import { describeProblems } from './document-problem.ts'
import { validateServerCard } from './validate-card.ts'

/** A server at a URL, which a card describes. */
export interface CardSubject {
  /** The information about the server. */
  readonly info: Implementation
  /** The public URL of the endpoint. Absent for a server that users only run themselves. */
  readonly url?: URL | undefined
  /** The protocol versions of the endpoint. */
  readonly versions: readonly string[]
}

const MAX_TEXT_LENGTH = 100
const CARD_NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/

/**
 * Creates the card of a server. Everything in it but the schema is a member of `server.json`, too.
 *
 * @throws TypeError if the information about the server makes no valid card.
 */
export function createServerCard({ info, url, versions }: CardSubject, options: CardOptions = {}): ServerCard {
  const { name = nameOf(info.name, url), description = info.description ?? info.title ?? info.name } = options
  const { repository, headers, meta } = options
  const card: ServerCard = {
    $schema: CARD_SCHEMA,
    name,
    version: info.version,
    description: options.description ?? shorten(description),
    ...withoutUndefined({
      title: info.title && shorten(info.title),
      websiteUrl: info.websiteUrl,
      repository,
      icons: info.icons,
    }),
    ...(url && {
      remotes: [
        {
          type: 'streamable-http',
          url: url.href,
          ...(headers && { headers: [...headers] }),
          ...(versions.length > 0 && { supportedProtocolVersions: [...versions] }),
        },
      ],
    }),
    ...(meta && { _meta: meta }),
  }
  const problems = validateServerCard(card)
  if (problems.length > 0) throw new TypeError(`The server card is not valid: ${describeProblems(problems)}`)
  return card
}

/** Content of a catalog besides the server that serves it. */
export interface CatalogContent extends Pick<CatalogOptions, 'host'> {
  readonly entries?: readonly CatalogEntry[]
}

/** Creates the catalog of a domain, which names the card of a server. @throws TypeError if two entries have one identifier. */
export function createAiCatalog(
  card: Pick<ServerCard, 'name'>,
  url: URL,
  { host, entries = [] }: CatalogContent = {},
): AiCatalog {
  const own: CatalogEntry = { identifier: identifierOf(card.name), type: CARD_TYPE, url: cardUrlOf(url).href }
  const all = [own, ...entries]
  const keys = new Set(all.map(({ identifier, version }) => JSON.stringify([identifier, version])))
  if (keys.size < all.length) throw new TypeError('The entries of a catalog must have different identifiers')
  return { specVersion: CATALOG_VERSION, ...(host && { host }), entries: all }
}

/** Returns the identifier of a card in catalogs: the domain of its publisher, a namespace, and its name. */
export function identifierOf(cardName: string, namespace = 'mcp'): string {
  const [publisher = '', name = ''] = cardName.split('/')
  return `urn:air:${reverse(publisher)}:${namespace}:${name}`
}

/** Returns the unique name of a server: its own if it has the form of one, or else the host in reverse order, and its name. */
function nameOf(name: string, url: URL | undefined): string {
  if (CARD_NAME.test(name) || !url) return name
  const { hostname } = url
  const host = /^[a-z0-9.-]+$/i.test(hostname) && !isLoopbackHost(hostname) ? hostname : 'localhost'
  const last = name.replace(/[^a-zA-Z0-9._-]+/g, '-').replace(/^-|-$/g, '')
  return `${/^[\d.]+$/.test(host) ? host : reverse(host)}/${last || 'server'}`
}

function reverse(domain: string): string {
  return domain.split('.').reverse().join('.')
}

/** Shortens a text at the end of a word. */
function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const characters = [...line]
  if (characters.length <= MAX_TEXT_LENGTH) return line
  const cut = characters.slice(0, MAX_TEXT_LENGTH - 1).join('')
  const space = cut.lastIndexOf(' ')
  return `${space > 0 ? cut.slice(0, space) : cut}…`
}
