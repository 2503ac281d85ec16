import { InvalidResponseError } from '../jsonrpc/errors.ts'
import { MODERN_VERSION } from '../protocol/revisions.ts'
import type { HttpClientOptions } from '../transports/http/client/http-client.ts'
import { HttpStatusError } from '../transports/http/client/http-status-error.ts'
import { createLegacyHttpConnection } from '../transports/http/client/legacy.ts'
import { createHttpExchange } from '../transports/http/client/modern.ts'
import type { Era } from './era-cache.ts'
import type { NegotiatedConnection } from './open-channel.ts'
import { type ConnectContext, openLegacy } from './open-legacy.ts'
import { type DetectedEra, probe } from './probe.ts'
import type { OpenConnection } from './reconnect.ts'

/** Opens a connection in each era. */
const OPENERS: { readonly [era in Era]: (http: HttpClientOptions, context: ConnectContext) => Promise<OpenConnection> } = {
  async modern(http, { onOpen }) {
    const { exchange, notify, close } = createHttpExchange(http)
    onOpen?.({ notify })
    return { exchange, close, sendsParamHeaders: true, hasSession: false, protocolVersion: MODERN_VERSION, onEnd: () => {} }
  },
  legacy: (http, context) => openLegacy(createLegacyHttpConnection(http), context),
  // Hardly any server still has only this transport.
  async 'http+sse'(http, context) {
    const { createHttpSseConnection } = await import('../transports/http/client/http-sse.ts')
    return openLegacy(createHttpSseConnection(http), context)
  },
}

/**
 * Opens a connection to the server at a URL. Tries the newest revision first, then Streamable HTTP with sessions, then HTTP+SSE; a known era
 * skips the attempts before it. A status that is no evidence of an era, such as 401, 403 or 503, is thrown.
 */
export async function openHttp(
  http: HttpClientOptions,
  context: ConnectContext,
  era: Era | undefined,
): Promise<NegotiatedConnection> {
  const detected = era ?? (await probeHttp(http, context))
  return openAs(detected, http, context).catch((error: unknown) => {
    if (detected !== 'legacy' || !(error instanceof HttpStatusError) || !OTHER_TRANSPORT.has(error.status)) throw error
    return openAs('http+sse', http, context)
  })
}

async function openAs(era: Era, http: HttpClientOptions, context: ConnectContext): Promise<NegotiatedConnection> {
  return { era, connection: await OPENERS[era](http, context) }
}

function probeHttp(http: HttpClientOptions, context: ConnectContext): Promise<DetectedEra> {
  const { exchange, close } = createHttpExchange(http)
  return probe(exchange, context).catch(legacyAfterRejection).finally(close)
}

/** The statuses of servers that do not support POST at their endpoint. */
const OTHER_TRANSPORT = new Set([400, 404, 405])
/** The client errors that any server may respond with. */
const NO_EVIDENCE = new Set([401, 403, 407, 429])

function legacyAfterRejection(error: unknown): 'legacy' {
  if (error instanceof InvalidResponseError) return 'legacy'
  if (error instanceof HttpStatusError && error.status < 500 && !NO_EVIDENCE.has(error.status)) return 'legacy'
  throw error
}
