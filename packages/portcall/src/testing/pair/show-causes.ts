import type { InProcessTarget } from '../../connect/target.ts'
import { RpcError } from '../../jsonrpc/errors.ts'
import { deriveContext, type Exchange, type Middleware } from '../../jsonrpc/exchange.ts'
import { isObject } from '../../jsonrpc/message.ts'

const REFERENCE = /Reference: ([0-9a-f]{8})$/

/** A server whose internal errors are recorded, and the middleware that shows them to the client. */
export interface CauseRecorder<S extends InProcessTarget> {
  readonly server: S
  readonly middleware: Middleware
}

/**
 * Gives the client the exceptions behind internal errors, as the `cause` of the error or of the failed result. Clients of a server that is
 * not in this process get the reference only.
 */
export function recordCauses<S extends InProcessTarget>(server: S): CauseRecorder<S> {
  const causes = new Map<string, unknown>()
  const onError = (error: unknown, reference: string): void => void causes.set(reference, error)
  const exchange: Exchange = (request, context) => server.exchange(request, deriveContext(context, { onError }))
  const causeOf = (message: unknown): { cause: unknown } | undefined => {
    const reference = REFERENCE.exec(String(message))?.[1] ?? ''
    return causes.has(reference) ? { cause: causes.get(reference) } : undefined
  }
  const middleware: Middleware = async (request, context, next) => {
    const response = await next(request, context)
    if ('error' in response) {
      const { code, message, data } = response.error
      const found = causeOf(message)
      if (found) throw Object.assign(new RpcError(code, message, data), found)
      return response
    }
    const found = response.result.isError === true && causeOf(textOf(response.result.content))
    return found
      ? { ...response, result: Object.defineProperty({ ...response.result }, 'cause', { value: found.cause }) }
      : response
  }
  return { server: { ...server, exchange }, middleware }
}

/** Appends the exception to a message, if there is one. */
export function withCause(message: string, cause: unknown): string {
  return cause === undefined ? message : `${message}\nCaused by ${String(cause)}`
}

function textOf(content: unknown): unknown {
  const [first] = Array.isArray(content) ? content : []
  return isObject(first) ? first.text : undefined
}
