import { canonicalJson } from '../../../util/src/canonical-json.ts'
import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import { sha256 } from '../../../util/src/digest.ts'
import { delay } from '../../../util/src/timers.ts'
import { type Authorization, authorizationOf, coversAuthorization } from '../jsonrpc/authorization-key.ts'
import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import { deriveContext, type Exchange, type ExchangeContext, type Middleware } from '../jsonrpc/exchange.ts'
import { type Handling, reportHandling } from '../jsonrpc/handling.ts'
import { isObject, type Request, type Response, success } from '../jsonrpc/message.ts'
import { markReplaying } from '../jsonrpc/replaying.ts'
import { createDefaultStore } from '../stores/open-store.ts'
import type { KeyValueStore } from '../stores/store.ts'
import { IDEMPOTENCY_KEY } from './idempotency-key.ts'
import { isRefusedRequest, isRefusedResponse } from './outcome.ts'
import { createReceipts, type Receipt, type Receipts } from './receipts.ts'
import { refuse } from './refusal.ts'
import { paramsOf } from './result-cache.ts'
import { createKeyLookup, type RequestSelection, SELECTION_NAMES } from './selection.ts'

/** Options of `idempotency`. */
export interface IdempotencyOptions extends Omit<RequestSelection, 'key'> {
  /**
   * Idempotency keys of requests with another `key` are independent, and each has its own share of the receipts. Return undefined to exempt a
   * request. Default: the principal of the caller with its client; all callers that are not authenticated share one.
   */
  readonly key?: RequestSelection['key']
  /**
   * Where receipts are stored. Pass a shared store, so that a request that reaches another process runs once too. A store that evicts entries
   * needs room for the receipts of all callers. Default: in memory, where nothing is evicted; in workers, the store that they share.
   */
  readonly store?: KeyValueStore
  /** How long a receipt is kept, in milliseconds. Default: 24 hours. */
  readonly ttlMs?: number
  /** Maximum number of receipts of one caller. Further keys are refused until some have expired. Default: 5000. */
  readonly maxReceipts?: number
  /** Maximum size of a response that is kept, as JSON in characters. Of a larger one, only the fact that it was sent is kept. Default: 65,536. */
  readonly maxResponseBytes?: number
  /** True if requests without an idempotency key are refused. Default: false. */
  readonly required?: boolean
  /** How long the failure of a process goes unnoticed, in milliseconds. Default: 30,000. */
  readonly leaseTtlMs?: number
  /** Distinguishes these receipts from others in the same store. Default: `idempotency`. */
  readonly name?: string
}

const DAY_MS = 86_400_000
const LEASE_TTL_MS = 30_000
const POLL_MS = 50
const MAX_KEY_LENGTH = 256
const MAX_RECEIPTS = 5000
const MAX_RESPONSE_BYTES = 65_536

const NAMES: OptionNames<IdempotencyOptions> = {
  ...SELECTION_NAMES,
  store: 'store',
  ttlMs: 1,
  maxReceipts: 1,
  maxResponseBytes: 1,
  required: 'boolean',
  leaseTtlMs: 1,
  name: 'text',
}
const ADVICE = { ttl: 'Use "ttlMs"', stores: 'Use "store"' }

/**
 * Creates middleware that runs a request with an idempotency key once. When the client sends it again, it gets the response of the first one, also
 * while that is still running and from another process that shares the store. A client sends the key in `_meta` (see `idempotencyKey`) or in the
 * HTTP header `Idempotency-Key`.
 *
 * Only what has run is kept. A request that was refused, for instance by a rate limit or because a scope was missing, runs when it is sent again. A
 * caller with fewer scopes or other claims than the first one does not get its response.
 *
 * A request with a key runs to its end even if its client disconnects, so that the client finds the response when it tries again. If the process
 * fails meanwhile, later requests with the key fail, because nobody knows what the first one has done. Requests also fail while the store fails. In
 * a gateway, the middleware runs after the policies have allowed a request.
 */
export function idempotency(options: IdempotencyOptions = {}): Middleware {
  checkOptions('idempotency()', options, { names: NAMES, advice: ADVICE })
  const { ttlMs = DAY_MS, leaseTtlMs = LEASE_TTL_MS, name = 'idempotency', required = false } = options
  const { maxReceipts = MAX_RECEIPTS, maxResponseBytes = MAX_RESPONSE_BYTES } = options
  const store = options.store ?? createDefaultStore({ whenFull: 'refuse' })
  const responses = options.store ?? createDefaultStore()
  const running = new Set<string>()
  const settings = { store, responses, name, ttlMs, leaseTtlMs, maxReceipts, maxResponseBytes, running }
  const callerOf = createKeyLookup({ ...options, key: options.key ?? clientOf })
  const checksAuthorization = options.key === undefined
  return markReplaying(async (request, context, next) => {
    const caller = callerOf(request, context)
    if (caller === undefined) return next(request, context)
    const key = keyOf(request, context)
    if (key === undefined) {
      if (required) throw invalid('This call requires an idempotency key, in _meta or in the header Idempotency-Key')
      return next(request, context)
    }
    const { requestState, ...params } = paramsOf(request)
    const id = await sha256(canonicalJson([request.method, key, requestState ?? null]))
    const receipts = createReceipts({ ...settings, caller: await sha256(caller), id })
    const start: Start = {
      params: await sha256(canonicalJson(params)),
      authorization: checksAuthorization ? authorizationOf(context.auth) : undefined,
    }
    const response = await runOnce(receipts, start, { request, context, next })
    return { ...response, id: request.id }
  })
}

/** Identifies the program that chooses the keys: a user's other programs may choose the same. */
function clientOf(_request: Request, { auth }: ExchangeContext): string {
  return auth ? JSON.stringify([auth.principal, auth.clientId ?? null]) : ''
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

/** The facts that are known when a request starts. */
interface Start {
  /** The hash of the params. */
  readonly params: string
  /** The authorization of the caller; undefined if the option `key` decides who shares receipts. */
  readonly authorization: Authorization | undefined
}

/** A request that runs once. */
interface OnceRun {
  readonly request: Request
  readonly context: ExchangeContext
  readonly next: Exchange
}

/** Resolves to the response of the first request with this key. @throws RpcError if there is none. */
async function runOnce(receipts: Receipts, start: Start, { request, context, next }: OnceRun): Promise<Response> {
  for (;;) {
    const receipt = await receipts.read()
    if (receipt) checkReceipt(receipt, start, context)
    if (receipt?.bytes !== undefined) {
      reportHandling(context, 'started')
      return (await receipts.response(receipt)) ?? alreadyRan(request, receipt.bytes)
    }
    const lease = await receipts.lock()
    if (lease === 'full') return refuse(request, { message: FULL })
    if (lease === 'busy') {
      await delay(POLL_MS, context.signal)
      continue
    }
    try {
      const response = await (receipt ? findFailure(receipts) : startOnce(receipts, start, { request, context, next }))
      if (response) return response
    } finally {
      await lease.release()
    }
  }
}

/** @throws RpcError if a receipt is one of another request, or of a caller with another authorization. */
function checkReceipt({ params, authorization }: Receipt, start: Start, { auth }: ExchangeContext): void {
  if (params !== start.params) throw invalid('The idempotency key was used for a request with other params')
  if (authorization && !coversAuthorization(auth, authorization))
    throw new RpcError(
      ErrorCode.invalidRequest,
      'The idempotency key was used with another authorization: with scopes that this one lacks, or with other claims. Use another key',
    )
}

/** @throws RpcError if the process that ran the request has failed. Otherwise, it was refused meanwhile, or has ended. */
async function findFailure(receipts: Receipts): Promise<undefined> {
  const latest = await receipts.read()
  if (latest && latest.bytes === undefined)
    throw new RpcError(
      ErrorCode.internalError,
      'The process that ran this call has failed, or does not respond. Its outcome is unknown. If it comes back, a later call with the key gets the outcome',
    )
}

/** Runs a request that holds the lease of its key. Resolves to `undefined` if there is a receipt by now. */
async function startOnce(receipts: Receipts, start: Start, run: OnceRun): Promise<Response | undefined> {
  const started = await receipts.start(start)
  if (started === 'exists') return undefined
  return started === 'full' ? refuse(run.request, { message: FULL }) : runStarted(receipts, start, run)
}

const FULL =
  'Too many idempotency keys are in use. Send the call again later, when older ones have expired, or without a key if it may run twice'

/** Runs a request whose receipt exists, and keeps the outcome. The receipt of a request that was refused is deleted. */
async function runStarted(receipts: Receipts, start: Start, { request, context, next }: OnceRun): Promise<Response> {
  const handling: Handling = { state: 'unknown' }
  // A client that disconnects does not abort the request.
  const { signal } = new AbortController()
  const own = deriveContext(context, { signal, onAbort: () => () => {}, handling })
  let response: Response
  try {
    response = await next(request, own)
  } catch (error) {
    if (isRefusedRequest(error, handling)) await receipts.release()
    else if (error instanceof RpcError) await receipts.finish(start, error.response(request.id))
    throw error
  } finally {
    if (handling.state === 'started') reportHandling(context, 'started')
  }
  if (isRefusedResponse(response, handling)) await receipts.release()
  else await receipts.finish(start, response)
  return response
}

/** Answers a request that has run, and whose response was not kept. */
function alreadyRan({ id, method }: Request, bytes: number): Response {
  const text = `This call has run before with this idempotency key, and does not run again. Its response of ${bytes} characters was not kept`
  if (method !== 'tools/call') return new RpcError(ErrorCode.internalError, text).response(id)
  return success(id, { resultType: 'complete', content: [{ type: 'text', text }], isError: true })
}
