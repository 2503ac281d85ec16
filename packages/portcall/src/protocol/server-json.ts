/**
 * `server.json`: the description of a server in the MCP registry. It says what a server card says, and which packages users can install.
 * https://github.com/modelcontextprotocol/registry
 */
import type { JsonObject } from '../jsonrpc/message.ts'
import type { CardHeader, CardRemote, ServerCard } from './server-card.ts'

/** The value of `$schema` in `server.json`. */
// biome-ignore lint/plugin: a version of the registry's schema, which is no protocol revision
export const SERVER_JSON_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'
/** The key of `_meta` for the data of publishers. */
export const PUBLISHER_META = 'io.modelcontextprotocol.registry/publisher-provided'

/** How a package is reached once it runs. */
export interface PackageTransport {
  /** The transport. */
  type: 'stdio' | 'streamable-http' | 'sse'
  /** The URL, unless the transport is stdio. */
  url?: string
  /** The headers that clients send, unless the transport is stdio. */
  headers?: CardHeader[]
}

/** A package that users can install. Members that are not listed here, such as arguments and variables, are those of the registry. */
export interface RegistryPackage {
  /** The registry of the package, such as `npm`, `pypi`, `nuget`, `oci` or `mcpb`. */
  registryType: string
  /** The name of the package there; the reference of an image; the URL of a bundle. */
  identifier: string
  /** The version. Absent for `oci` and `mcpb`. */
  version?: string
  /** How the server is reached. */
  transport: PackageTransport
  /** The SHA-256 of the file in hexadecimal, required for `mcpb`. */
  fileSha256?: string
  /** Further members. */
  [member: string]: unknown
}

/** The document of the registry. */
export interface ServerJson extends Omit<ServerCard, '$schema' | 'remotes' | '_meta'> {
  /** The schema of the document. */
  $schema: string
  /** The endpoints. */
  remotes?: Omit<CardRemote, 'supportedProtocolVersions'>[]
  /** The packages. */
  packages?: RegistryPackage[]
  /** Data of the publisher, under the only key that publishers may use. */
  _meta?: JsonObject
}
