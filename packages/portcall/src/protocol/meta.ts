import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
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

/** What every request says about its sender: nothing of it is remembered from one request to the next. */
export interface Envelope {
  readonly protocolVersion: string
  readonly clientCapabilities: ClientCapabilities
  readonly clientInfo?: Implementation | undefined
  readonly logLevel?: LoggingLevel | undefined
  readonly progressToken?: string | number | undefined
}

/** Tells whether a request carries an envelope: the mark of the stateless era. */
export function hasEnvelope(params: JsonObject | undefined): boolean {
  const meta = params?._meta
  return isObject(meta) && (MetaKey.protocolVersion in meta || MetaKey.clientCapabilities in meta)
}

/** Copies params and gives them this `_meta`. */
export function withMeta(params: JsonObject, meta: JsonObject): JsonObject {
  // Engines copy fast what is spread last; a member that is added after it costs more than all of the rest.
  return '_meta' in params ? { ...params, _meta: meta } : { _meta: meta, ...params }
}

/**
 * Reads the envelope of a request.
 *
 * @throws RpcError -32602 that names the key which is missing or wrong.
 */
export function readEnvelope(params: JsonObject | undefined): Envelope {
  const meta = params?._meta
  if (!isObject(meta)) throw missing('_meta')
  const protocolVersion = meta[MetaKey.protocolVersion]
  const clientCapabilities = meta[MetaKey.clientCapabilities]
  const logLevel = meta[MetaKey.logLevel] ?? undefined
  const clientInfo = meta[MetaKey.clientInfo] ?? undefined
  const progressToken = meta.progressToken ?? undefined
  if (typeof protocolVersion !== 'string') throw missing(MetaKey.protocolVersion)
  if (!isObject(clientCapabilities)) throw missing(MetaKey.clientCapabilities)
  if (clientInfo !== undefined && !isObject(clientInfo)) throw wrong(MetaKey.clientInfo, 'an object')
  if (logLevel !== undefined && !isLoggingLevel(logLevel)) throw wrong(MetaKey.logLevel, `one of ${LOGGING_LEVELS.join(', ')}`)
  if (progressToken !== undefined && typeof progressToken !== 'string' && typeof progressToken !== 'number')
    throw wrong('progressToken', 'a string or an integer')
  return { protocolVersion, clientCapabilities, clientInfo: clientInfo as Implementation | undefined, logLevel, progressToken }
}

/** Tells whether a value is one of the eight levels of RFC 5424. */
export function isLoggingLevel(value: unknown): value is LoggingLevel {
  return LOGGING_LEVELS.includes(value as LoggingLevel)
}

function missing(key: string): RpcError {
  return new RpcError(
    ErrorCode.invalidParams,
    `Invalid params: every request needs ${key === '_meta' ? '"_meta"' : `_meta["${key}"]`}`,
  )
}

function wrong(key: string, expected: string): RpcError {
  return new RpcError(ErrorCode.invalidParams, `Invalid params: _meta["${key}"] has to be ${expected}`)
}
