import { UnreadableAnswer } from '../jsonrpc/errors.ts'
import { createHttpExchange } from '../transports/http/client.ts'
import { createHttpLink } from '../transports/http/client-legacy.ts'
import { createSse2024Link } from '../transports/http/client-sse2024.ts'
import { HttpStatusError } from '../transports/http/http-status-error.ts'
import type { HttpClientOptions } from '../transports/http/remote.ts'
import type { Era } from './eras.ts'
import type { Found } from './open-channel.ts'
import { openLegacy, type Speaker } from './open-legacy.ts'
import { probe, type Verdict } from './probe.ts'

/** How each era is spoken over HTTP. */
const OPENERS: { readonly [era in Era]: (http: HttpClientOptions, speaker: Speaker) => Promise<Found['opened']> } = {
  async modern(http) {
    const { exchange, close } = createHttpExchange(http)
    return { exchange, close, mirrors: true, onEnd: () => {} }
  },
  legacy: (http, speaker) => openLegacy(createHttpLink(http), speaker),
  'http+sse': (http, speaker) => openLegacy(createSse2024Link(http), speaker),
}

/**
 * Finds out what a server at a URL speaks: the newest revision, sessions, or HTTP+SSE, in this order; what is known of it shortens that.
 * Refusals that say nothing about the era, such as 401, 403 or 503, are errors and not a reason to try something else.
 */
export async function openHttp(http: HttpClientOptions, speaker: Speaker, era: Era | undefined): Promise<Found> {
  const found = era ?? (await probeHttp(http, speaker))
  return openAs(found, http, speaker).catch((error: unknown) => {
    if (found !== 'legacy' || !(error instanceof HttpStatusError) || !OTHER_TRANSPORT.has(error.status)) throw error
    return openAs('http+sse', http, speaker)
  })
}

async function openAs(era: Era, http: HttpClientOptions, speaker: Speaker): Promise<Found> {
  return { era, opened: await OPENERS[era](http, speaker) }
}

function probeHttp(http: HttpClientOptions, speaker: Speaker): Promise<Verdict> {
  const { exchange, close } = createHttpExchange(http)
  return probe(exchange, speaker).catch(refusal).finally(close)
}

/** Statuses by which a server says that it does not know what a POST to its endpoint is. */
const OTHER_TRANSPORT = new Set([400, 404, 405])
/** Statuses below 500 that are about the caller, not about what was called. */
const REFUSALS = new Set([401, 403, 407, 429])

function refusal(error: unknown): 'legacy' {
  if (error instanceof UnreadableAnswer) return 'legacy'
  if (error instanceof HttpStatusError && error.status < 500 && !REFUSALS.has(error.status)) return 'legacy'
  throw error
}
