/**
 * Calls to a legacy server that wait for input. In the newest revision, a call that requires input ends with an `input_required` result
 * and is repeated with the responses. In older revisions, the server sends requests while the call stays open. Here, a call whose server
 * sends an input request stays open on the connection: its caller gets an `input_required` result, and the repeated call delivers the
 * responses and waits on.
 */

import { LazyAbort, onAbort } from '../../../../util/src/abort.ts'
import { createGroupLock } from '../../../../util/src/group-lock.ts'
import { randomId } from '../../../../util/src/random.ts'
import { raceAbort, unref } from '../../../../util/src/timers.ts'
import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import type { Exchange, ExchangeContext } from '../../jsonrpc/exchange.ts'
import { isObject, type JsonObject, type Notification, type Request, type Response, success } from '../../jsonrpc/message.ts'
import { markRefused } from '../../jsonrpc/refusal.ts'
import { identityOf as defaultIdentityOf } from '../../protocol/caller-identity.ts'
import { readClientCapabilities } from '../../protocol/capabilities.ts'
import { invalidParams, methodNotFound } from '../../protocol/errors.ts'
import { inputKindOf, inputKindsOf } from '../../protocol/input-kinds.ts'
import type { InputRequest } from '../../protocol/input-types.ts'
import { LOCAL_STATE, type LocalState } from '../../protocol/local-state.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { METHODS } from '../../protocol/methods.ts'
import type { ClientCapabilities } from '../../protocol/types.ts'
import type { OutgoingContext } from './connection.ts'
import type { OnInputRequest, ServerInputHandler } from './input-requests.ts'

/** The calls of one session. */
export interface SuspendedCalls {
  /** Sends a request, or continues the suspended call that its `requestState` identifies. */
  readonly exchange: Exchange
  /** Suspends the call that an input request belongs to. Resolves to the response. @throws RpcError when no call can be identified. */
  readonly accept: ServerInputHandler
  /** Ends all calls. */
  close(reason: Error): void
}

export interface SuspendedCallsOptions {
  /** The capabilities that the client declared. Without any kind of input, calls are never suspended. */
  readonly capabilities: ClientCapabilities
  /**
   * True if input requests name the call that they belong to. Otherwise calls of different callers run one after another, and a request
   * belongs to the oldest open call.
   */
  readonly attributesRequests: boolean
  /** Returns what identifies the caller of a request, or `undefined` for an unknown caller. Default: its principal, or its session. */
  readonly identityOf?: typeof defaultIdentityOf
  /** Sends a request to the server. */
  readonly forward: Exchange
  /** How long a suspended call waits for the responses, in milliseconds. Default: 5 minutes. */
  readonly suspendTtlMs?: number
  /** Called when the server asks the caller of a request for input. */
  readonly onInputRequest?: OnInputRequest
  /** How long a suspended call may keep other callers waiting until they get an error, in milliseconds. Default: 10 seconds. */
  readonly othersWaitTimeoutMs?: number
}

const SUSPEND_TTL_MS = 300_000
const OTHERS_WAIT_TIMEOUT_MS = 10_000
/** Time to wait for further input requests of the same call, so that the caller gets them together. */
const GATHER_MS = 10
/** Beyond these limits, the oldest calls end: their callers may be gone. */
const MAX_SUSPENDED = 1000
const MAX_SUSPENDED_PER_CALLER = 500
const MAX_KEPT = 100
const STATE_PREFIX = 'call:'
const EXPIRED = 'requestState has expired: the call that waited for input is gone. Call again without requestState'
const AMBIGUOUS = new RpcError(
  ErrorCode.internalError,
  'The request cannot be matched to a call: none is running, or several are',
)

const OCCUPIED = new RpcError(
  ErrorCode.internalError,
  'The server waits until another caller has answered its question. Until then it cannot be called, because it does not say whom it asks. Try again later',
)
const CALL_ENDED = new RpcError(ErrorCode.internalError, 'The call has ended')

export function createSuspendedCalls(options: SuspendedCallsOptions): SuspendedCalls {
  const { capabilities, forward, identityOf = defaultIdentityOf, suspendTtlMs = SUSPEND_TTL_MS } = options
  const { othersWaitTimeoutMs = OTHERS_WAIT_TIMEOUT_MS } = options
  const canAsk = Boolean(capabilities.elicitation ?? capabilities.sampling ?? capabilities.roots)
  const lock = createGroupLock()
  const open = new Set<OpenCall>()
  const suspended = new Map<string, OpenCall>()
  let isSerial = !options.attributesRequests

  const start = (request: Request, context: ExchangeContext): OpenCall => {
    const identity = identityOf(request, context)
    const call = new OpenCall(request, context, identity)
    const stopWaiting = isSerial ? limitWait(call, open, othersWaitTimeoutMs) : undefined
    const send = async (): Promise<Response> => {
      stopWaiting?.()
      open.add(call)
      try {
        return await forward(request, call)
      } finally {
        open.delete(call)
      }
    }
    call.run(isSerial ? lock.run(identity, send, call.signal).finally(stopWaiting) : send())
    return call
  }
  /** Ends the oldest call that waits for input: of the same caller if it has too many, or of all. */
  const makeRoom = ({ identity }: OpenCall): void => {
    if (suspended.size < MAX_SUSPENDED_PER_CALLER) return
    const entries = [...suspended]
    const own = identity === undefined ? [] : entries.filter(([, other]) => other.identity === identity)
    const total = entries.length >= MAX_SUSPENDED ? entries : []
    const [oldest] = own.length >= MAX_SUSPENDED_PER_CALLER ? own : total
    if (!oldest) return
    suspended.delete(oldest[0])
    oldest[1].abort(new Error('Too many calls wait for input'))
  }
  const suspend = (call: OpenCall): JsonObject => {
    makeRoom(call)
    // Each round has a state of its own, so that an answer cannot be sent twice.
    const requestState = STATE_PREFIX + randomId()
    suspended.set(requestState, call)
    call.detach(suspendTtlMs, () => suspended.delete(requestState))
    const end = (reason: unknown): void => {
      if (suspended.delete(requestState)) call.abort(reason)
    }
    const inputRequests = call.inputRequests()
    const result: JsonObject & LocalState = { resultType: 'input_required', inputRequests, requestState, [LOCAL_STATE]: end }
    return result
  }
  /** Waits until the call is over, or requires input. */
  const proceed = async (call: OpenCall, request: Request, context: ExchangeContext): Promise<Response> => {
    const response = await call.attach(request, context)
    return response ? { ...response, id: request.id } : success(request.id, suspend(call))
  }
  const resume = (state: string): OpenCall => {
    const call = suspended.get(state)
    if (!call) throw invalidParams(EXPIRED)
    suspended.delete(state)
    return call
  }

  return {
    async exchange(request, context) {
      const { method, params = {} } = request
      if (!canAsk || !METHODS.get(method)?.mayRequireInput) return forward(request, context)
      const { requestState, inputResponses } = params
      try {
        if (typeof requestState !== 'string' || !requestState.startsWith(STATE_PREFIX))
          return await proceed(start(request, context), request, context)
        const call = resume(requestState)
        call.respond(isObject(inputResponses) ? inputResponses : {})
        return await proceed(call, request, context)
      } catch (error) {
        if (!(error instanceof RpcError)) throw error
        const response = error.response(request.id)
        return error === OCCUPIED ? markRefused(response) : response
      }
    },
    async accept(input, signal, origin) {
      if (!canAsk) throw methodNotFound(input.method)
      const call = findCall(open, origin, input)
      if (!call && !origin) isSerial = true
      if (!call) throw AMBIGUOUS
      options.onInputRequest?.(input.method, input.params)
      if (!canAnswer(input, call.capabilities)) throw methodNotFound(input.method)
      return raceAbort(call.addInput(input as InputRequest, signal), signal)
    },
    close(reason) {
      for (const call of [...open, ...suspended.values()]) call.abort(reason)
    },
  }
}

/**
 * Ends a call that waits for its turn when an open call of another caller has waited for input for `timeoutMs`. Returns a function that stops
 * this.
 */
function limitWait(call: OpenCall, open: ReadonlySet<OpenCall>, timeoutMs: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const check = (): void => {
    const others = [...open].filter(({ identity }) => identity === undefined || identity !== call.identity)
    const since = Math.min(Date.now(), ...others.map(({ suspendedAt }) => suspendedAt))
    const leftMs = since + timeoutMs - Date.now()
    if (leftMs > 0) timer = unref(setTimeout(check, leftMs))
    else call.abort(OCCUPIED)
  }
  check()
  return () => clearTimeout(timer)
}

/**
 * Returns the call that an input request belongs to. Without an origin, it is one of the open calls, if all are of the same caller: the oldest
 * one that can answer, and does not wait for other input already.
 */
function findCall(
  open: ReadonlySet<OpenCall>,
  origin: OutgoingContext | undefined,
  input: Parameters<ServerInputHandler>[0],
): OpenCall | undefined {
  const calls = [...open]
  if (origin) return calls.find((call) => call === origin)
  const [oldest, ...others] = calls
  const isSameCaller = others.every(({ identity }) => identity !== undefined && identity === oldest?.identity)
  if (!isSameCaller) return undefined
  const able = calls.filter(({ capabilities }) => canAnswer(input, capabilities))
  return able.find((call) => call.isAttached) ?? able[0] ?? oldest
}

/** Reports whether a client with these capabilities can answer an input request. */
function canAnswer({ method, params }: Parameters<ServerInputHandler>[0], capabilities: ClientCapabilities): boolean {
  return inputKindsOf(capabilities).includes(inputKindOf(method, params))
}

interface PendingInput {
  readonly request: InputRequest
  respond(response: JsonObject): void
  reject(reason: unknown): void
}

/**
 * A call that is open on the connection. It is also the context of its request, which outlives the contexts of its callers: notifications
 * go to the current caller, and are kept while there is none.
 */
class OpenCall implements ExchangeContext {
  readonly identity: unknown
  /** The capabilities of the caller, which may be fewer than the session declared. */
  readonly capabilities: ClientCapabilities
  readonly auth: ExchangeContext['auth']
  readonly outgoing: ExchangeContext['outgoing']
  /** Since when the call waits for input without a caller, in milliseconds since 1970. */
  suspendedAt = Infinity
  readonly #abort = new LazyAbort()
  readonly #inputs = new Map<string, PendingInput>()
  readonly #kept: Notification[] = []
  #response: Promise<Response> | undefined
  #current: { readonly context: ExchangeContext; readonly token: unknown } | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #wake: (() => void) | undefined
  #asked = 0

  constructor({ params }: Request, { auth, outgoing }: ExchangeContext, identity: unknown) {
    const meta = isObject(params?._meta) ? params._meta : {}
    this.capabilities = readClientCapabilities(meta[MetaKey.clientCapabilities])
    this.identity = identity
    this.auth = auth
    this.outgoing = outgoing
  }

  /** True if a caller waits for the response. */
  get isAttached(): boolean {
    return this.#current !== undefined
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  readonly onAbort = (listener: (reason: unknown) => void): (() => void) => this.#abort.onAbort(listener)

  abort(reason: unknown): void {
    clearTimeout(this.#timer)
    this.#abort.abort(reason)
    this.#rejectInputs()
  }

  readonly notify = (notification: Notification): void | Promise<void> => {
    if (!this.#current) {
      if (this.#kept.length < MAX_KEPT) this.#kept.push(notification)
      return
    }
    const { context, token } = this.#current
    if (notification.method !== 'notifications/progress') return context.notify(notification)
    if (token !== undefined) return context.notify({ ...notification, params: { ...notification.params, progressToken: token } })
  }

  /** Sets the response to wait for. */
  run(response: Promise<Response>): void {
    this.#response = response
    const end = (): void => this.#rejectInputs()
    response.then(end, end)
  }

  /** Adds an input request. Resolves to its response. */
  addInput(request: InputRequest, signal: AbortSignal): Promise<JsonObject> {
    const key = `input-${++this.#asked}`
    const response = new Promise<JsonObject>((respond, reject) => this.#inputs.set(key, { request, respond, reject }))
    onAbort(signal, () => this.#inputs.delete(key))
    this.#wake?.()
    return response
  }

  /** Delivers responses. An input request without one stays open. */
  respond(responses: JsonObject): void {
    for (const [key, input] of this.#inputs) {
      const response = Object.hasOwn(responses, key) ? responses[key] : undefined
      if (!isObject(response)) continue
      this.#inputs.delete(key)
      input.respond(response)
    }
  }

  inputRequests(): JsonObject {
    return Object.fromEntries([...this.#inputs].map(([key, { request }]) => [key, request]))
  }

  /** Makes a caller the current one until the call ends or requires input. Resolves to the response, or `undefined` for input. */
  async attach(request: Request, context: ExchangeContext): Promise<Response | undefined> {
    clearTimeout(this.#timer)
    this.suspendedAt = Infinity
    const meta = request.params?._meta
    this.#current = { context, token: isObject(meta) ? meta.progressToken : undefined }
    for (const notification of this.#kept.splice(0)) void this.notify(notification)
    const unsubscribe = onAbort(context, (reason) => this.abort(reason))
    try {
      while (true) {
        const response = await Promise.race([this.#response, this.#inputArrival()])
        if (response || this.#inputs.size > 0) return response
      }
    } finally {
      unsubscribe()
      this.#wake = undefined
      this.#current = undefined
    }
  }

  /** Waits for responses without a caller. After `ttlMs` the call is cancelled. */
  detach(ttlMs: number, onEnd: () => void): void {
    const expire = (): void => {
      this.abort(new DOMException('Nobody answered the input requests', 'TimeoutError'))
      onEnd()
    }
    this.suspendedAt = Date.now()
    this.#timer = unref(setTimeout(expire, ttlMs))
    this.#response?.catch(onEnd)
  }

  #rejectInputs(): void {
    for (const input of this.#inputs.values()) input.reject(CALL_ENDED)
    this.#inputs.clear()
  }

  /** Resolves a moment after an input request has arrived. */
  async #inputArrival(): Promise<undefined> {
    if (this.#inputs.size === 0)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    await new Promise((resolve) => setTimeout(resolve, GATHER_MS))
    return undefined
  }
}
