import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { unsupportedProtocolVersion } from './errors.ts'
import { LEGACY_VERSIONS, MODERN_VERSIONS } from './revisions.ts'
import type { ClientCapabilities, Implementation, LoggingLevel } from './types.ts'
import { LOGGING_LEVELS } from './types.ts'

/** The reserved `_meta` keys of the protocol. https://modelcontextprotocol.io/specification/2026-07-28/basic */
export const MetaKey = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const

/**
 * The `_meta` key with which a gateway of this library says, in the result of a list, which servers are not available: an object with the reasons,
 * by the names of the servers. Their items are left out, or are those of an earlier list: see `KEPT_META`.
 */
export const UNAVAILABLE_META = 'io.github.portcall/unavailable'

/**
 * The `_meta` key with which a gateway of this library says, in the result of a list, of which unavailable servers it offers the items that they
 * listed earlier: an object with the times when they did (ISO 8601), by the names of the servers.
 */
export const KEPT_META = 'io.github.portcall/kept'

/** The metadata that every request of the newest revision carries. A server does not remember it between requests. */
export interface RequestMeta {
  readonly protocolVersion: string
  readonly clientCapabilities: ClientCapabilities
  readonly clientInfo?: Implementation | undefined
  readonly logLevel?: LoggingLevel | undefined
  readonly progressToken?: string | number | undefined
}

/**
 * Reports whether a message belongs to the modern era: its params carry request metadata, or the header names a version that is not a
 * legacy one. An `initialize` without request metadata always starts a legacy session.
 */
export function isModern(message: { readonly method?: string; readonly params?: unknown }, headerVersion?: string): boolean {
  const meta = isObject(message.params) ? message.params._meta : undefined
  if (isObject(meta) && (MetaKey.protocolVersion in meta || MetaKey.clientCapabilities in meta)) return true
  if (message.method === 'initialize' || headerVersion === undefined) return false
  return !LEGACY_VERSIONS.includes(headerVersion)
}

/** Returns a copy of the params with this `_meta`. */
export function withMeta(params: JsonObject, meta: JsonObject): JsonObject {
  // The order matters for speed: V8 copies an object fast if nothing is added after the spread.
  return '_meta' in params ? { ...params, _meta: meta } : { _meta: meta, ...params }
}

/** Reads the metadata of a request. @throws RpcError -32602 if a key is missing or invalid, -32022 if it is missing in an unknown version. */
export function readRequestMeta(params: JsonObject | undefined): RequestMeta {
  const meta = params?._meta
  if (!isObject(meta)) throw missing('_meta')
  const protocolVersion = meta[MetaKey.protocolVersion]
  const clientCapabilities = meta[MetaKey.clientCapabilities]
  const logLevel = meta[MetaKey.logLevel] ?? undefined
  const clientInfo = meta[MetaKey.clientInfo] ?? undefined
  const progressToken = meta.progressToken ?? undefined
  if (typeof protocolVersion !== 'string') throw missing(MetaKey.protocolVersion)
  if (!isObject(clientCapabilities)) {
    // A later version may not require this key.
    if (!MODERN_VERSIONS.includes(protocolVersion)) throw unsupportedProtocolVersion(protocolVersion, MODERN_VERSIONS)
    throw missing(MetaKey.clientCapabilities)
  }
  if (clientInfo !== undefined && !isObject(clientInfo)) throw invalid(MetaKey.clientInfo, 'an object')
  if (logLevel !== undefined && !isLoggingLevel(logLevel)) throw invalid(MetaKey.logLevel, `one of ${LOGGING_LEVELS.join(', ')}`)
  if (progressToken !== undefined && typeof progressToken !== 'string' && typeof progressToken !== 'number')
    throw invalid('progressToken', 'a string or an integer')
  return { protocolVersion, clientCapabilities, clientInfo: clientInfo as Implementation | undefined, logLevel, progressToken }
}

/** Reports whether a value is one of the eight log levels of RFC 5424. */
export function isLoggingLevel(value: unknown): value is LoggingLevel {
  return LOGGING_LEVELS.includes(value as LoggingLevel)
}

/** Returns the rank of a log level. Unknown levels rank highest, so that their messages are always delivered. */
export function severityOf(level: unknown): number {
  return LOGGING_LEVELS.indexOf(level as LoggingLevel) >>> 0
}

function missing(key: string): RpcError {
  return new RpcError(
    ErrorCode.invalidParams,
    `Invalid params: every request requires ${key === '_meta' ? '"_meta"' : `_meta["${key}"]`}`,
  )
}

function invalid(key: string, expected: string): RpcError {
  return new RpcError(ErrorCode.invalidParams, `Invalid params: _meta["${key}"] must be ${expected}`)
}
