import type { Deadlines } from '../client/deadlines.ts'
import type { Exchange } from '../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Response } from '../jsonrpc/message.ts'
import { NegotiationError } from '../legacy/negotiate.ts'
import { ProtocolErrorCode, readProtocolError } from '../protocol/errors.ts'
import { discoverRequest } from '../protocol/probes.ts'
import { MODERN_VERSION, MODERN_VERSIONS, revisionOf } from '../protocol/revisions.ts'

export type DetectedEra = 'modern' | 'legacy'

export interface ProbeOptions {
  /** `_meta` of the request. */
  readonly meta: JsonObject
  /** How long to wait for the response, in milliseconds. `undefined`: until the signal is aborted. */
  readonly probeTimeoutMs: number | undefined
  readonly deadlines: Deadlines
  readonly signal: AbortSignal
}

/** How long to wait by default for a response that old servers may never send, in milliseconds. */
export const PROBE_TIMEOUT_MS = 5000
const MODERN_CODES: ReadonlySet<number> = new Set([ProtocolErrorCode.headerMismatch, ProtocolErrorCode.missingClientCapability])

/**
 * Detects the era of a server by sending `server/discover` in the newest revision. Only a modern server can answer that; any other
 * response, such as an error or a result that makes no sense, means that the server is older.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 *
 * @throws NegotiationError when the server supports only other modern versions; TimeoutError; the errors of the exchange.
 */
export async function probe(exchange: Exchange, { meta, probeTimeoutMs, deadlines, signal }: ProbeOptions): Promise<DetectedEra> {
  const timeoutMs = probeTimeoutMs ?? Infinity
  const timeouts = { requestTimeoutMs: timeoutMs, totalTimeoutMs: timeoutMs }
  const deadline = deadlines.start('server/discover', timeouts, signal)
  // The request is never cancelled, because an old server might not handle the cancellation either.
  const context = { signal: new AbortController().signal, notify: () => {} }
  return eraOfResponse(await deadline.race(exchange(discoverRequest('probe', meta), context)))
}

function eraOfResponse(response: Response): DetectedEra {
  if (isSuccess(response)) return eraOfVersions(response.result.supportedVersions)
  const { code, data } = readProtocolError(response.error)
  if (code === ProtocolErrorCode.unsupportedProtocolVersion && isObject(data)) return eraOfVersions(data.supported)
  return MODERN_CODES.has(code) && isObject(data) ? 'modern' : 'legacy'
}

function eraOfVersions(versions: unknown): DetectedEra {
  if (!Array.isArray(versions)) return 'legacy'
  if (versions.includes(MODERN_VERSION)) return 'modern'
  if (versions.some((version) => typeof version === 'string' && revisionOf(version)?.era === 'legacy')) return 'legacy'
  throw new NegotiationError(MODERN_VERSION, MODERN_VERSIONS, versions.join(', '))
}
