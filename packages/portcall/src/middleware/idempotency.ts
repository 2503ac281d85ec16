import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import { deriveContext, type Exchange, type ExchangeContext, type Middleware } from '../jsonrpc/exchange.ts'
import { isObject, type Request, type Response } from '../jsonrpc/message.ts'
import { type Lease, takeLease } from '../stores/lease.ts'
import { createDefaultStore } from '../stores/open-store.ts'
import { canonicalJson } from '../stores/sealing/canonical-json.ts'
import type { KeyValueStore } from '../stores/store.ts'
import { sha256 } from '../util/digest.ts'
import { delay } from '../util/timers.ts'
import { IDEMPOTENCY_KEY } from './idempotency-key.ts'
import { paramsOf } from './result-cache.ts'
import { createKeyLookup, type RequestSelection } from './selection.ts'

/** Options of `idempotency`. Keys of requests with another `key`, by default of other callers, are independent. */
export interface IdempotencyOptions extends RequestSelection {
  /** Where receipts are stored. Pass a shared store, so that a request that reaches another process runs once too. Default: in memory; in workers, the store that they share. */
  readonly store?: KeyValueStore
  /** How long a receipt is kept, in milliseconds. Default: 24 hours. */
  readonly ttlMs?: number
  /** Whether requests without an idempotency key are refused. Default: false. */
  readonly required?: boolean
  /** How long the failure of a process goes unnoticed, in milliseconds. Default: 30,000. */
  readonly leaseTtlMs?: number
  /** Distinguishes these receipts from others in the same store. Default: `idempotency`. */
  readonly name?: string
}

/** What is stored of a request. Without a response, it is running, or its process has failed. */
interface Receipt {
  /** The hash of the params. */
  readonly params: string
  readonly response?: Response
}

const DAY_MS = 86_400_000
const LEASE_TTL_MS = 30_000
const POLL_MS = 50
const MAX_KEY_LENGTH = 256

/**
 * Creates middleware that runs a request with an idempotency key once. When the client sends it again, it gets the response of the first one, also
 * while that is still running and from another process that shares the store. A client sends the key in `_meta` (see `idempotencyKey`) or in the
 * HTTP header `Idempotency-Key`.
 *
 * A request with a key runs to its end even if its client disconnects, so that the client finds the response when it tries again. If the process
 * fails meanwhile, later requests with the key fail, because nobody knows what the first one has done. Requests also fail while the store fails.
 */
export function idempotency(options: IdempotencyOptions = {}): Middleware {
  const {
    store = createDefaultStore(),
    ttlMs = DAY_MS,
    leaseTtlMs = LEASE_TTL_MS,
    name = 'idempotency',
    required = false,
  } = options
  const callerOf = createKeyLookup(options)
  return async (request, context, next) => {
    const caller = callerOf(request, context)
    if (caller === undefined) return next(request, context)
    const key = keyOf(request, context)
    if (key === undefined) {
      if (required) throw invalid('This call requires an idempotency key, in _meta or in the header Idempotency-Key')
      return next(request, context)
    }
    const { requestState, ...params } = paramsOf(request)
    const hash = await sha256(canonicalJson([caller, request.method, key, requestState ?? null]))
    const receipts = createReceipts({ store, key: `portcall:${name}:${hash}`, ttlMs, leaseTtlMs })
    const paramsHash = await sha256(canonicalJson(params))
    const response = await runOnce(receipts, paramsHash, { context, run: () => run(request, context, next) })
    return { ...response, id: request.id }
  }
}

/** @throws RpcError -32602 if the key is invalid. */
function keyOf({ params }: Request, { http }: ExchangeContext): string | undefined {
  const meta = isObject(params?._meta) ? params._meta : {}
  const key = meta[IDEMPOTENCY_KEY] ?? http?.header('idempotency-key')
  if (key === undefined) return undefined
  if (typeof key !== 'string' || key === '' || key.length > MAX_KEY_LENGTH)
    throw invalid(`The idempotency key must be a string of 1 to ${MAX_KEY_LENGTH} characters`)
  return key
}

function invalid(message: string): RpcError {
  return new RpcError(ErrorCode.invalidParams, message)
}

/** Runs the request in a context that a client which disconnects does not abort. */
function run(request: Request, context: ExchangeContext, next: Exchange): Promise<Response> {
  const { signal } = new AbortController()
  return next(request, deriveContext(context, { signal, onAbort: () => () => {} }))
}

interface ReceiptOptions {
  readonly store: KeyValueStore
  readonly key: string
  readonly ttlMs: number
  readonly leaseTtlMs: number
}

/** The receipt of one key. */
interface Receipts {
  read(): Promise<Receipt | undefined>
  /** Records that the request starts. Returns false if there is a receipt already. */
  start(params: string): Promise<boolean>
  finish(receipt: Receipt): Promise<void>
  /** Returns undefined while the request runs, here or in another process. */
  lock(): Promise<Lease | undefined>
}

function createReceipts({ store, key, ttlMs, leaseTtlMs }: ReceiptOptions): Receipts {
  return {
    async read() {
      const text = await store.get(key)
      return text === undefined ? undefined : parseReceipt(text)
    },
    start: (params) => store.compareAndSet(key, { expected: undefined, value: JSON.stringify({ params }), ttlMs }),
    finish: (receipt) => store.set(key, JSON.stringify(receipt), { ttlMs }),
    lock: () => takeLease({ store, key: `${key}:lease`, leaseTtlMs }),
  }
}

/** @throws Error if the text is not a receipt, because something else writes to the keys of this middleware. */
function parseReceipt(text: string): Receipt {
  const value: unknown = JSON.parse(text)
  if (!isReceipt(value)) throw new Error('The store has an invalid idempotency receipt')
  return value
}

function isReceipt(value: unknown): value is Receipt {
  return isObject(value) && typeof value.params === 'string' && (value.response === undefined || isObject(value.response))
}

/** A request that runs once. */
interface OnceRun {
  readonly context: ExchangeContext
  readonly run: () => Promise<Response>
}

/** Resolves to the response of the first request with this key. @throws RpcError if there is none. */
async function runOnce(receipts: Receipts, params: string, { context, run }: OnceRun): Promise<Response> {
  for (;;) {
    const receipt = await receipts.read()
    if (receipt && receipt.params !== params) throw invalid('The idempotency key was used for a request with other params')
    if (receipt?.response) return receipt.response
    const lease = await receipts.lock()
    if (!lease) {
      await delay(POLL_MS, context.signal)
      continue
    }
    try {
      if (receipt) {
        const latest = await receipts.read()
        if (latest?.response) return latest.response
        throw new RpcError(ErrorCode.internalError, 'The process that ran this call has failed. Its outcome is unknown')
      }
      if (!(await receipts.start(params))) continue
      const response = await run()
      await receipts.finish({ params, response })
      return response
    } finally {
      await lease.release()
    }
  }
}
