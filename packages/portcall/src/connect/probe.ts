import type { Clocks } from '../client/deadline.ts'
import type { Exchange } from '../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Response } from '../jsonrpc/message.ts'
import { NegotiationError } from '../legacy/negotiate.ts'
import { ProtocolErrorCode, readProtocolError } from '../protocol/errors.ts'
import { MetaKey } from '../protocol/meta.ts'
import { MODERN_VERSIONS, revisionOf } from '../protocol/revisions.ts'

/** What a probe found out. */
export type Verdict = 'modern' | 'legacy'

export interface ProbeOptions {
  /** `_meta` of the request, but for the version. */
  readonly envelope: JsonObject
  /** How long the server may take. */
  readonly probeMs: number
  /** The deadlines of all that waits for this server. */
  readonly clocks: Clocks
  /** Gives up. */
  readonly signal: AbortSignal
}

const [VERSION] = MODERN_VERSIONS
const MODERN_CODES: ReadonlySet<number> = new Set([ProtocolErrorCode.headerMismatch, ProtocolErrorCode.missingClientCapability])

/**
 * Asks a server what it is, in the newest revision. Only a server of that era can answer; whatever else comes, an error of any code or an
 * answer that makes no sense, comes from an older one.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 *
 * @throws NegotiationError when the server speaks other versions of the era; TimeoutError; what the exchange throws.
 */
export async function probe(exchange: Exchange, { envelope, probeMs, clocks, signal: given }: ProbeOptions): Promise<Verdict> {
  const deadline = clocks.start('server/discover', { requestMs: probeMs, totalMs: probeMs }, given)
  const params = { _meta: { ...envelope, [MetaKey.protocolVersion]: VERSION } }
  const request = { jsonrpc: '2.0' as const, id: 'probe', method: 'server/discover', params }
  // It is not cancelled when it is given up: an old server might stumble over that too.
  const { signal } = new AbortController()
  return judge(await deadline.until(exchange(request, { signal, notify: () => {} })))
}

function judge(response: Response): Verdict {
  if (isSuccess(response)) return offers(response.result.supportedVersions)
  const { code, data } = readProtocolError(response.error)
  if (code === ProtocolErrorCode.unsupportedProtocolVersion && isObject(data)) return offers(data.supported)
  return MODERN_CODES.has(code) && isObject(data) ? 'modern' : 'legacy'
}

function offers(versions: unknown): Verdict {
  if (!Array.isArray(versions)) return 'legacy'
  if (versions.includes(VERSION)) return 'modern'
  if (versions.some((version) => typeof version === 'string' && revisionOf(version)?.era === 'legacy')) return 'legacy'
  throw new NegotiationError(String(VERSION), MODERN_VERSIONS, versions.join(', '))
}
