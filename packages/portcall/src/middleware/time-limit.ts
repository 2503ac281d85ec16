import { LazyAbort, onAbort } from '../../../util/src/abort.ts'
import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import { deriveContext, type Middleware } from '../jsonrpc/exchange.ts'
import type { Response } from '../jsonrpc/message.ts'
import { refuse } from './refusal.ts'
import { createKeyLookup, type RequestSelection, SELECTION_NAMES } from './selection.ts'

/** Options of `timeLimit`. */
export interface TimeLimitOptions extends RequestSelection {
  /** How long a request may take, in milliseconds. */
  readonly timeoutMs: number
}

const NAMES: OptionNames<TimeLimitOptions> = {
  ...SELECTION_NAMES,
  timeoutMs: 1,
}
const ADVICE = { timeout: 'Use "timeoutMs"' }
const REQUIRED = { timeoutMs: 'Pass how long a request may take, in milliseconds' }

/**
 * Creates middleware that limits how long a request may take. Then it answers with an error and aborts the request. Each round of a call that
 * requests input has the whole time, and the time that the user takes does not count.
 *
 * @throws RangeError if `timeoutMs` is not positive.
 */
export function timeLimit(options: TimeLimitOptions): Middleware {
  checkOptions('timeLimit()', options, { names: NAMES, advice: ADVICE, required: REQUIRED })
  const { timeoutMs } = options
  if (!(timeoutMs > 0)) throw new RangeError('timeLimit: timeoutMs must be positive')
  const keyOf = createKeyLookup({ key: () => '', ...options })
  return async (request, context, next) => {
    if (keyOf(request, context) === undefined) return next(request, context)
    const abort = new LazyAbort()
    const unsubscribe = onAbort(context, (reason) => abort.abort(reason))
    let timer: ReturnType<typeof setTimeout> | undefined
    const expired = new Promise<Response>((resolve) => {
      timer = setTimeout(() => {
        resolve(
          refuse(request, { message: `The request did not finish within ${timeoutMs} ms`, data: { timeoutMs }, hasRun: true }),
        )
        abort.abort(new DOMException(`The request took more than ${timeoutMs} ms`, 'TimeoutError'))
      }, timeoutMs)
    })
    try {
      const overrides = { signal: abort.signal, onAbort: abort.onAbort.bind(abort) }
      return await Promise.race([expired, next(request, deriveContext(context, overrides))])
    } finally {
      clearTimeout(timer)
      unsubscribe()
    }
  }
}
