import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import type { ExchangeContext, Middleware } from '../jsonrpc/exchange.ts'
import { isSuccess, type Request, type Response, type Success, success } from '../jsonrpc/message.ts'
import { createDefaultStore } from '../stores/open-store.ts'
import type { KeyValueStore } from '../stores/store.ts'
import { cutResult, sizeOfJson } from './cut-result.ts'
import { createLinkedResults } from './linked-results.ts'
import { refuse } from './refusal.ts'
import { createKeyLookup, type RequestSelection, SELECTION_NAMES } from './selection.ts'

/** Options of `resultSizeLimit`. */
export interface ResultSizeLimitOptions extends RequestSelection {
  /** The maximum size of a result as JSON, in bytes of UTF-8. */
  readonly maxBytes: number
  /**
   * The treatment of larger results of tools. `error`: they are replaced by an error. `cut`: their text is cut off, with a note; results with
   * structured content become errors. `link`: they are stored, and the caller gets a link to a resource. Other results become errors. Default:
   * `error`.
   */
  readonly exceeded?: 'error' | 'cut' | 'link'
  /** Where linked results are stored. Several processes need a shared store. Default: in memory; in workers, the store that they share. */
  readonly store?: KeyValueStore
  /** How long a linked result can be read, in milliseconds. Default: 10 minutes. */
  readonly linkTtlMs?: number
}

const NAMES: OptionNames<ResultSizeLimitOptions> = {
  ...SELECTION_NAMES,
  maxBytes: 1,
  exceeded: ['error', 'cut', 'link'],
  store: 'store',
  linkTtlMs: 1,
}
const ADVICE = { limit: 'Use "maxBytes"', stores: 'Use "store"' }
const REQUIRED = { maxBytes: 'Pass the maximum size of a result, in bytes' }

/**
 * Creates middleware that replaces results that are too large for a model, by default with an error that says so. It serializes each result to
 * measure it.
 *
 * @throws RangeError if `maxBytes` is not positive.
 */
export function resultSizeLimit(options: ResultSizeLimitOptions): Middleware {
  checkOptions('resultSizeLimit()', options, { names: NAMES, advice: ADVICE, required: REQUIRED })
  const { maxBytes, exceeded = 'error', store = createDefaultStore(), linkTtlMs = 600_000 } = options
  if (!(maxBytes > 0)) throw new RangeError('resultSizeLimit: maxBytes must be positive')
  const keyOf = createKeyLookup({ key: () => '', ...options })
  const links = exceeded === 'link' ? createLinkedResults(store, linkTtlMs) : undefined
  return async (request, context, next) => {
    const linked = await links?.read(request, context)
    if (linked) return linked
    const response = await next(request, context)
    if (keyOf(request, context) === undefined || !isSuccess(response)) return response
    const bytes = sizeOf(response.result, maxBytes)
    if (bytes <= maxBytes) return response
    return (await shorten({ request, context, response, bytes })) ?? tooLarge(request, bytes)
  }

  async function shorten(call: Oversized): Promise<Response | undefined> {
    const { request, response, bytes } = call
    if (request.method !== 'tools/call' || exceeded === 'error' || !isComplete(response)) return undefined
    const result = links ? await links.link(response.result, call.context, bytes) : cutResult(response.result, maxBytes)
    return result && success(request.id, result)
  }
  function tooLarge(request: Request, bytes: number): Response {
    const message = `The result has ${bytes} bytes, more than the limit of ${maxBytes}. Request less data`
    return refuse(request, { message, data: { bytes, maxBytes }, hasRun: true })
  }
}

/** A result that is too large. */
interface Oversized {
  readonly request: Request
  readonly context: ExchangeContext
  readonly response: Success
  readonly bytes: number
}

function isComplete({ result: { resultType } }: Success): boolean {
  return resultType === undefined || resultType === 'complete'
}

const MAX_BYTES_PER_UNIT = 3

/** Returns the size of a value as JSON. Text that fits in any encoding is not encoded, and its size is a lower bound. */
function sizeOf(value: unknown, maxBytes: number): number {
  const { length } = JSON.stringify(value)
  return length * MAX_BYTES_PER_UNIT <= maxBytes ? length : sizeOfJson(value)
}
