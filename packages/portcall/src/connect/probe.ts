import { TimeoutError } from '../client/errors.ts'
import type { Exchange } from '../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Response } from '../jsonrpc/message.ts'
import { ProtocolErrorCode } from '../protocol/errors.ts'
import { MetaKey } from '../protocol/meta.ts'
import { MODERN_VERSIONS, revisionOf } from '../protocol/revisions.ts'
import { NegotiationError } from '../legacy/negotiate.ts'

/** What a probe found out. */
export type Verdict = 'modern' | 'legacy'

const [VERSION] = MODERN_VERSIONS
const MODERN_CODES: ReadonlySet<number> = new Set([ProtocolErrorCode.headerMismatch, ProtocolErrorCode.missingClientCapability])

/**
 * Asks a server what it is, in the newest revision. Only a server of that era can answer; whatever else comes, an error of any code or an
 * answer that makes no sense, comes from an older one.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 *
 * @throws NegotiationError when the server speaks other versions of the era; TimeoutError; what the exchange throws.
 */
export async function probe(exchange: Exchange, envelope: JsonObject, timeoutMs: number): Promise<Verdict> {
  const { promise: late, cancel } = timeout(timeoutMs)
  const params = { _meta: { ...envelope, [MetaKey.protocolVersion]: VERSION } }
  const request = { jsonrpc: '2.0' as const, id: 'probe', method: 'server/discover', params }
  const { signal } = new AbortController()
  try {
    return judge(await Promise.race([exchange(request, { signal, notify: () => {} }), late]))
  } finally {
    cancel()
  }
}

/** The probe is not cancelled when it takes too long: an old server might stumble over that too. */
function timeout(ms: number): { promise: Promise<never>; cancel(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  const promise = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError('server/discover', ms)), ms)
  })
  return { promise, cancel: () => clearTimeout(timer) }
}

function judge(response: Response): Verdict {
  if (isSuccess(response)) return offers(response.result.supportedVersions)
  const { code, data } = response.error
  if (code === ProtocolErrorCode.unsupportedProtocolVersion && isObject(data)) return offers(data.supported)
  return MODERN_CODES.has(code) && isObject(data) ? 'modern' : 'legacy'
}

function offers(versions: unknown): Verdict {
  if (!Array.isArray(versions)) return 'legacy'
  if (versions.includes(VERSION)) return 'modern'
  if (versions.some((version) => typeof version === 'string' && revisionOf(version)?.era === 'legacy')) return 'legacy'
  throw new NegotiationError(String(VERSION), MODERN_VERSIONS, versions.join(', '))
}
