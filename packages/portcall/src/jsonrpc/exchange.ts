import { onAbort } from './abort.ts'
import type { Notification, Request, Response } from './message.ts'

/** Who is calling, as far as authorization has told. */
export interface Auth {
  /** Names the caller; everything that a request leaves behind belongs to it. */
  readonly principal: string
  readonly scopes?: readonly string[]
  readonly [claim: string]: unknown
}

/** What of the carrying HTTP request a handler may want to see. */
export interface HttpInfo {
  /** A request header by its lower-case name, several values joined with `, `. */
  header(name: string): string | undefined
}

/** What comes along with one request. */
export interface ExchangeContext {
  /** Aborted when the caller gives the request up: read it late, it is made when it is first read. */
  readonly signal: AbortSignal
  /**
   * Calls back with the reason when the caller gives the request up, for less than `signal` costs; what it gives ends that. Throws the
   * reason when that has happened already.
   */
  readonly onAbort?: ((listener: (reason: unknown) => void) => () => void) | undefined
  /**
   * Sends a notification about this request. Returns nothing while there is room; when the way out is full, a promise
   * that resolves when it has drained.
   */
  notify(notification: Notification): void | Promise<void>
  /** Asks the caller something while its request runs; absent where the peer takes no requests. */
  readonly ask?: ((method: string, params?: Request['params']) => Promise<Response>) | undefined
  /**
   * Lets go of the connection that waits for the answer; the caller comes back for it after `retryMs`. Absent where that
   * cannot be done.
   */
  readonly release?: ((retryMs: number) => void) | undefined
  /** Reads a header that mirrors a part of the request; absent where the carrier mirrors nothing. */
  readonly mirror?: ((header: string) => string | undefined) | undefined
  readonly http?: HttpInfo | undefined
  readonly auth?: Auth | undefined
  /** What a caller wants said beside the request, where the carrier can: on HTTP, more request headers. */
  readonly send?: { readonly headers?: Readonly<Record<string, string>> } | undefined
}

/**
 * One request answered: the noun that this library is made of. A server is an Exchange, a client calls one, a transport
 * makes one from bytes.
 *
 * It resolves to the response, also for errors; a rejection means that no answer can be had (the connection is lost, the
 * request was given up).
 */
export type Exchange = (request: Request, context: ExchangeContext) => Promise<Response>

/** Wraps an Exchange. The first of a list is the outermost. */
export type Middleware = (request: Request, context: ExchangeContext, next: Exchange) => Promise<Response>

/** Puts middleware around an Exchange; without middleware it is the Exchange itself. */
export function wrap(exchange: Exchange, middleware: readonly Middleware[]): Exchange {
  return middleware.reduceRight<Exchange>((next, layer) => (request, context) => layer(request, context, next), exchange)
}

/**
 * A context that is another one but for what is given. Middleware makes contexts in this way and not by spreading, since a context may
 * make its members when they are first read.
 */
export function deriveContext(context: ExchangeContext, given: Partial<ExchangeContext>): ExchangeContext {
  return {
    get signal() {
      return given.signal ?? context.signal
    },
    onAbort: given.signal ? given.onAbort : context.onAbort?.bind(context),
    notify: given.notify ?? ((notification) => context.notify(notification)),
    ask: 'ask' in given ? given.ask : context.ask,
    release: 'release' in given ? given.release : context.release,
    mirror: 'mirror' in given ? given.mirror : context.mirror,
    http: 'http' in given ? given.http : context.http,
    auth: 'auth' in given ? given.auth : context.auth,
    send: 'send' in given ? given.send : context.send,
  }
}

/** Who waits for an answer and may give it up. Where there is an `onAbort`, `signal` is not read. */
export type Caller = Partial<Pick<ExchangeContext, 'signal' | 'onAbort'>>

/** @throws the reason for which a caller has given up, if it has. */
export function throwIfGivenUp(caller: Caller): void {
  heed(caller, () => {})?.()
}

/** Calls back with the reason when a caller gives up, at once when that has happened already. */
export function whenGivenUp(caller: Caller, listener: (reason: unknown) => void): void {
  try {
    heed(caller, listener)
  } catch (reason) {
    listener(reason)
  }
}

/** Calls back with the reason when a caller gives up; what it gives ends that. @throws the reason when that has happened already. */
export function heed(caller: Caller, listener: (reason: unknown) => void): (() => void) | undefined {
  if (caller.onAbort) return caller.onAbort(listener)
  const { signal } = caller
  if (!signal) return undefined
  signal.throwIfAborted()
  return onAbort(signal, listener)
}
