/**
 * Server cards and AI catalogs: public documents that describe servers before anyone connects. They are no part of a protocol revision.
 * https://modelcontextprotocol.io/seps/2127-mcp-server-cards and https://github.com/Agent-Card/ai-catalog
 */
import type { JsonObject } from '../jsonrpc/message.ts'
import type { Icon } from './types.ts'

/** The media type of a server card. */
export const CARD_TYPE = 'application/mcp-server-card+json'
/** The media type of an AI catalog. */
export const CATALOG_TYPE = 'application/ai-catalog+json'
/** The value of `$schema` in a server card. */
export const CARD_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'
/** The path of the catalog of a domain. */
export const CATALOG_PATH = '/.well-known/ai-catalog.json'
/** The version of the catalog format that is written. */
export const CATALOG_VERSION = '1.0'
/** The suffix that makes the URL of a card from that of an endpoint. */
const CARD_SUFFIX = '/server-card'

/** Paths at which earlier drafts and other libraries put the card of a domain. */
export const LEGACY_CARD_PATHS: readonly string[] = ['/.well-known/mcp/server-card.json', '/.well-known/mcp-server-card']
/** Paths at which earlier drafts and other libraries put the catalog of a domain. */
export const LEGACY_CATALOG_PATHS: readonly string[] = ['/.well-known/mcp/catalog.json', '/.well-known/ard.json']

/** A value that a user enters, or that is fixed. The shape is that of `server.json`. */
export interface CardInput {
  /** The purpose of the value, for the user. */
  description?: string
  /** True if clients cannot connect without it. */
  isRequired?: boolean
  /** True for tokens and passwords. */
  isSecret?: boolean
  /** The type of the value. Default: `string`. */
  format?: 'string' | 'number' | 'boolean' | 'filepath'
  /** The value if the user enters none. */
  default?: string
  /** An example for the user. */
  placeholder?: string
  /** The fixed value: the user is not asked. May contain `{name}` for each of the variables. */
  value?: string
  /** The values to choose from. */
  choices?: string[]
}

/** A header that clients send to a remote. */
export interface CardHeader extends CardInput {
  /** The name of the header. */
  name: string
  /** The values that fill the braces in `value`. */
  variables?: { [name: string]: CardInput }
}

/** An endpoint of a server. */
export interface CardRemote {
  /** The transport. */
  type: 'streamable-http' | 'sse'
  /** The URL of the endpoint, possibly with `{name}` for each of the variables. */
  url: string
  /** The headers that clients send. */
  headers?: CardHeader[]
  /** The values that fill the braces in `url`. */
  variables?: { [name: string]: CardInput }
  /** The protocol versions that the endpoint supports. */
  supportedProtocolVersions?: string[]
}

/** Where the source code of a server is. */
export interface CardRepository {
  /** The URL of the repository. */
  url: string
  /** The service that hosts it, such as `github`. */
  source: string
  /** The folder of the server in the repository. */
  subfolder?: string
  /** The id that the service gave the repository. */
  id?: string
}

/** A description of a server: its identity, and how to connect. It is public, and nothing but a claim of whoever publishes it. */
export interface ServerCard {
  /** The schema of the document. */
  $schema: string
  /** The unique name: a domain in reverse order, a slash and a name, such as `com.example/weather`. */
  name: string
  /** The version of the server. */
  version: string
  /** One sentence about the server, up to 100 characters. */
  description: string
  /** The name for display. */
  title?: string
  /** The web site of the server. */
  websiteUrl?: string
  /** Where its source code is. */
  repository?: CardRepository
  /** Icons for display. */
  icons?: Icon[]
  /** The endpoints. */
  remotes?: CardRemote[]
  /** Data of others, by keys with a reverse domain. */
  _meta?: JsonObject
}

/** One item of a catalog, with either a URL or the document itself. */
export interface CatalogEntry {
  /** The identifier, such as `urn:air:example.com:mcp:weather`. */
  identifier: string
  /** The media type of the document. */
  type: string
  /** The URL of the document. */
  url?: string
  /** The document. */
  data?: unknown
  /** The name for display, for documents without one. */
  displayName?: string
  /** One sentence, for documents without one. */
  description?: string
  /** The version, if the catalog lists several. */
  version?: string
}

/** A list of servers, and of other things, that a domain publishes. */
export interface AiCatalog {
  /** The version of the format. */
  specVersion: string
  /** The items. */
  entries: CatalogEntry[]
  /** Who publishes the catalog. */
  host?: {
    /** The name for display. */
    displayName: string
    /** A verifiable identifier, such as a domain. */
    identifier?: string
    /** The URL of its documentation. */
    documentationUrl?: string
    /** The URL of its logo. */
    logoUrl?: string
  }
}

/** Options of a server card: what differs from the information about the server. */
export interface CardOptions {
  /** The unique name. Default: the name of the server if it has this form, otherwise it is made of the host and the name. */
  readonly name?: string
  /** One sentence, up to 100 characters. Default: the beginning of the server's description, or else its title. */
  readonly description?: string
  /** Where the source code is. */
  readonly repository?: CardRepository
  /** Headers that clients have to send, such as an API key. A server with OAuth needs none: clients learn from it where to sign in. */
  readonly headers?: readonly CardHeader[]
  /** Additional data, by keys with a reverse domain. */
  readonly meta?: JsonObject
  /** The catalog of the domain, for another publisher or further entries; `false` for none. Default: it lists this server. */
  readonly catalog?: CatalogOptions | false
  /**
   * Where the documents are: at the paths of the specification, or also at those of earlier drafts and of other libraries
   * (`/.well-known/mcp/server-card.json` and others). Default: `spec`.
   */
  readonly profile?: 'spec' | 'compatible'
  /** How long the documents may be cached, in milliseconds. Default: one hour. */
  readonly cacheTtlMs?: number
}

/** Options of the catalog that a server serves. */
export interface CatalogOptions {
  /** Who publishes it. */
  readonly host?: AiCatalog['host']
  /** Entries for other servers and documents, or a function that returns them for each request, given the public URL of the endpoint. */
  readonly entries?: readonly CatalogEntry[] | ((endpoint: URL) => readonly CatalogEntry[] | Promise<readonly CatalogEntry[]>)
}

/** Returns the path or URL of a card, given that of the endpoint: the suffix follows the path, without a query and one slash at the end. */
export function cardPathOf(path: string): string {
  return `${path.replace(/\/$/, '')}${CARD_SUFFIX}`
}

/** Returns the URL at which a server has its card. */
export function cardUrlOf(endpoint: URL): URL {
  return new URL(cardPathOf(endpoint.pathname), endpoint.origin)
}
