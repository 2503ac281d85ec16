import { TimeoutError } from '../client/errors.ts'
import { ConnectionLostError, InvalidResponseError } from '../jsonrpc/errors.ts'
import { isAuthError } from '../protocol/authorizer.ts'
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

/** Opens a connection in each era. `onAccepted` is called when the server has shown that it has this transport. */
const OPENERS: {
  readonly [era in Era]: (http: HttpClientOptions, context: ConnectContext, onAccepted: () => void) => Promise<OpenConnection>
} = {
  async modern(http, { onOpen }) {
    const { exchange, notify, close } = createHttpExchange(http)
    onOpen?.({ notify })
    return { exchange, close, sendsParamHeaders: true, hasSession: false, protocolVersion: MODERN_VERSION, onEnd: () => {} }
  },
  legacy: (http, context, onAccepted) => openLegacy(createLegacyHttpConnection(http), { ...context, onAccepted }),
  // Hardly any server still has only this transport.
  async 'http+sse'(http, context, onEndpoint) {
    const { createHttpSseConnection } = await import('../transports/http/client/http-sse.ts')
    return openLegacy(createHttpSseConnection({ ...http, onEndpoint }), context)
  },
}

/**
 * Opens a connection to the server at a URL. Tries the newest revision first, then Streamable HTTP with sessions, then HTTP+SSE; a known era
 * skips the attempts before it. A status that is no evidence of an era, such as 401, 403 or 503, is thrown.
 *
 * If all attempts fail, the error of the one that the server accepted is thrown, or else the first error: a server that refuses the first
 * attempt for another reason than its age refuses the later ones too, for reasons that do not matter.
 */
export async function openHttp(
  http: HttpClientOptions,
  context: ConnectContext,
  era: Era | undefined,
): Promise<NegotiatedConnection> {
  const attempts = createAttempts(http, context)
  if (era) return attempts.openDetected(era)
  const { era: detected, failure } = await probeHttp(http, context)
  if (failure === undefined) return attempts.openDetected(detected)
  const connection = await attempts.openDetected(detected).catch((error: unknown) => {
    throw attempts.causeOf(failure, error)
  })
  return { ...connection, isUncertain: true }
}

interface Attempts {
  /** Opens a connection in an era. An older server that does not answer its handshake as it should may have the oldest transport. */
  openDetected(era: Era): Promise<NegotiatedConnection>
  /** Returns the error that says why the server cannot be used: that of the attempt before, or that of the last one. */
  causeOf(before: unknown, last: unknown): unknown
}

function createAttempts(http: HttpClientOptions, context: ConnectContext): Attempts {
  let isAccepted = false
  const openAs = async (era: Era): Promise<NegotiatedConnection> => {
    const connection = await OPENERS[era](http, context, () => {
      isAccepted = true
    })
    return { era, connection }
  }
  const causeOf = (before: unknown, last: unknown): unknown =>
    isAccepted || isAuthError(last) || isRefusal(last) || isAbortedByCaller(context) ? last : before
  return {
    causeOf,
    openDetected: (era) =>
      openAs(era).catch((error: unknown) => {
        if (era !== 'legacy' || isAccepted || !isOtherAnswer(error)) throw error
        return openAs('http+sse').catch((sseError: unknown) => {
          throw isWithoutPost(error) && isOfStream(sseError) ? sseError : causeOf(error, sseError)
        })
      }),
  }
}

/** Reports whether a server has no endpoint for POST requests, so that it can only have the oldest transport. */
function isWithoutPost(error: unknown): boolean {
  return error instanceof HttpStatusError && (error.status === 404 || error.status === 405)
}

/** Reports whether an event stream was opened, and then failed. */
function isOfStream(error: unknown): boolean {
  return error instanceof TimeoutError || error instanceof ConnectionLostError
}

function isAbortedByCaller({ signal }: ConnectContext): boolean {
  return signal.aborted && !(signal.reason instanceof TimeoutError)
}

interface ProbeOutcome {
  readonly era: DetectedEra
  /** The error of the probe, if it may be temporary. It is thrown when the era turns out to be wrong. */
  readonly failure?: HttpStatusError
}

async function probeHttp(http: HttpClientOptions, context: ConnectContext): Promise<ProbeOutcome> {
  const { exchange, close } = createHttpExchange(http)
  try {
    return { era: await probe(exchange, context) }
  } catch (error) {
    return outcomeOfFailure(error)
  } finally {
    await close()
  }
}

/** The statuses of servers that do not support POST at their endpoint. */
const OTHER_TRANSPORT = new Set([400, 404, 405])
/** The client errors that any server may respond with. */
const NO_EVIDENCE = new Set([401, 403, 407, 429])
/** The statuses of servers that fail because they do not know the method. Other server errors are those of overload and of proxies. */
const CRASHES = new Set([500, 501])

function outcomeOfFailure(error: unknown): ProbeOutcome {
  if (error instanceof InvalidResponseError) return { era: 'legacy' }
  if (!(error instanceof HttpStatusError) || NO_EVIDENCE.has(error.status)) throw error
  if (error.status < 500) return { era: 'legacy' }
  if (CRASHES.has(error.status)) return { era: 'legacy', failure: error }
  throw error
}

/** Reports whether a server answered a POST with something else than a message: a status, a page, or nothing at all. */
function isOtherAnswer(error: unknown): boolean {
  if (error instanceof HttpStatusError) return OTHER_TRANSPORT.has(error.status) || CRASHES.has(error.status)
  return error instanceof InvalidResponseError
}

function isRefusal(error: unknown): boolean {
  return error instanceof HttpStatusError && NO_EVIDENCE.has(error.status)
}
