import type { Middleware } from '../jsonrpc/exchange.ts'
import { isSuccess } from '../jsonrpc/message.ts'
import { refuse } from './refusal.ts'
import { createKeyLookup, type RequestSelection } from './selection.ts'

/** Options of `resultSizeLimit`. */
export interface ResultSizeLimitOptions extends RequestSelection {
  /** The maximum size of a result as JSON, in bytes of UTF-8. */
  readonly maxBytes: number
}

/**
 * Creates middleware that replaces results that are too large for a model with an error that says so. Nothing is cut off, because half of a
 * structured result is not valid. It serializes each result to measure it.
 *
 * @throws RangeError if `maxBytes` is not positive.
 */
export function resultSizeLimit(options: ResultSizeLimitOptions): Middleware {
  const { maxBytes } = options
  if (!(maxBytes > 0)) throw new RangeError('resultSizeLimit: maxBytes must be positive')
  const keyOf = createKeyLookup({ key: () => '', ...options })
  return async (request, context, next) => {
    const response = await next(request, context)
    if (keyOf(request, context) === undefined || !isSuccess(response)) return response
    const bytes = sizeOf(response.result, maxBytes)
    if (bytes <= maxBytes) return response
    return refuse(request, `The result has ${bytes} bytes, more than the limit of ${maxBytes}. Request less data`, {
      bytes,
      maxBytes,
    })
  }
}

const MAX_BYTES_PER_UNIT = 3
const encoder = new TextEncoder()

/** Returns the size of a value as JSON. Text that fits in any encoding is not encoded, and its size is a lower bound. */
function sizeOf(value: unknown, maxBytes: number): number {
  const text = JSON.stringify(value)
  return text.length * MAX_BYTES_PER_UNIT <= maxBytes ? text.length : encoder.encode(text).byteLength
}
