import type { ExchangeContext } from '../jsonrpc/exchange.ts'

/** The events of a server. */
export type ServerEvent =
  | {
      /** An error whose details are hidden from the client. */
      type: 'error'
      /** The error that was thrown. */
      error: unknown
      /** The eight characters that the response contains instead of the details. */
      reference: string
      /** The method of the request, such as `tools/call`; `view` or `transport` for an error outside of requests. */
      method: string
      /** The name of the tool. Absent for other requests. */
      name?: string | undefined
    }
  | {
      /** A mistake in the use of the server that is not an error. */
      type: 'warning'
      /** The fault and the change that it needs. */
      message: string
    }

/** Receives errors whose details are hidden from clients, and warnings. */
export type OnEvent = (event: ServerEvent) => void

/** Where an error was thrown. */
export interface ErrorSource {
  readonly method: string
  readonly name?: string | undefined
  /** The context of the request that failed. */
  readonly context?: ExchangeContext | undefined
}

/** The references of errors. One error object can fail several requests, such as those that wait for the same store. */
const references = new WeakMap<object, string>()
const logged = new WeakSet<object>()

/**
 * Emits an `error` event and returns its reference, the only detail about the error that the client receives. A request that was aborted
 * fails because of that, which is not an error of the server: then there is no event.
 */
export function emitError(onEvent: OnEvent, error: unknown, { context, ...source }: ErrorSource): string {
  const key = keyOf(error)
  const reference = references.get(key) ?? crypto.randomUUID().slice(0, 8)
  references.set(key, reference)
  if (context && isAbort(error, context.signal)) return reference
  onEvent({ type: 'error', error, reference, ...source })
  context?.onError?.(error, reference)
  return reference
}

/** Returns the error, or an object of its own for a thrown value that is not an object. */
const keyOf = (error: unknown): object => (typeof error === 'object' && error !== null ? error : {})

function isAbort(error: unknown, { aborted, reason }: AbortSignal): boolean {
  return aborted && (error === reason || (error instanceof Error && error.name === 'AbortError'))
}

/** The default of `onEvent`: writes each error once to stderr, with its stack, and each warning. */
export const logEvent: OnEvent = (event) => {
  if (event.type === 'warning') return console.warn(`[portcall] ${event.message}`)
  const { error, reference, method, name = '' } = event
  const key = keyOf(error)
  if (logged.has(key)) return
  logged.add(key)
  console.error(`[portcall] ${`${method} ${name}`.trim()} (reference ${reference}):`, error)
}
