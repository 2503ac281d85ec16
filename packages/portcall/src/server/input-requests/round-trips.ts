/**
 * Multi round-trip requests. A call that needs input is answered with `input_required`, and the client sends the request again with the
 * responses. The handler then runs again from the start. The responses and step results so far are stored in `requestState`.
 * https://modelcontextprotocol.io/specification/2026-07-28/server/mrtr
 */

import { type JsonForm, toJsonForm } from '../../../../util/src/json-value.ts'
import { isObject, type JsonObject, type Request } from '../../jsonrpc/message.ts'
import { invalidParams } from '../../protocol/errors.ts'
import type { InputRequest, InputRequiredResult } from '../../protocol/input-types.ts'
import { InputRequiredError } from '../errors.ts'
import type { RequestState, RequestStateStore } from './request-state.ts'

/** The input requests, input responses and steps of one call. */
export interface RoundTrips {
  /** Loads the request state and adds the input responses of the request. @throws RpcError -32602 when either is invalid. */
  resume(): Promise<void>
  /** Returns the key of an input request: the one passed in, or one made of its kind and a counter. */
  key(kind: string, key: string | undefined): string
  /** Returns the client's response to an input request. A response to a request with other params does not count. */
  responseTo(key: string, request: InputRequest): JsonObject | undefined
  /** Adds an input request and suspends the handler. @throws InputRequiredError always. */
  suspend(key: string, request: InputRequest): never
  /**
   * Runs a side effect once per call and returns its result as JSON, or returns the result recorded in an earlier run.
   *
   * @throws RpcError -32602 when the request state was used before; TypeError when the result is not JSON, or the name was used in this run.
   */
  step<T>(name: string, effect: () => T | Promise<T>): Promise<JsonForm<T>>
  /** Returns the responses and step results so far, once all running steps have settled, to continue the call elsewhere. @throws like `step`. */
  snapshot(): Promise<RequestState>
  /** Saves the state and returns the result that carries the input requests. @throws RpcError -32602 after too many round trips. */
  inputRequiredResult(): Promise<InputRequiredResult>
}

export interface RoundTripsOptions {
  readonly stateStore: RequestStateStore
  readonly maxRoundTrips: number
  /** Called whenever the handler is suspended. */
  readonly onSuspend: () => void
}

export function createRoundTrips(request: Request, { stateStore, maxRoundTrips, onSuspend }: RoundTripsOptions): RoundTrips {
  let isResumed = false
  let use: Promise<void> | undefined
  let state: RequestState = { roundTrips: 0, inputResponses: record(), steps: record(), inputRequests: record() }
  const counters = new Map<string, number>()
  const pending = new Map<string, InputRequest>()
  const steps = new Map<string, Promise<unknown>>()
  /** Marks the state of a resumed call as used, before its first effect. */
  const useState = (): Promise<void> => (use ??= (async () => void (state.lastUse = await stateStore.use?.(state)))())

  const runStep = async <T>(name: string, effect: () => T | Promise<T>): Promise<JsonForm<T>> => {
    if (isResumed) await useState()
    await stateStore.beforeStep?.()
    const result = toJsonForm((await effect()) as T, `The result of the step ${JSON.stringify(name)}`)
    state.steps[name] = result
    await stateStore.saveStep?.(name, result)
    return result
  }

  return {
    async resume() {
      const { inputResponses = {}, requestState } = request.params ?? {}
      if (!isObject(inputResponses)) throw invalidParams('inputResponses must be an object')
      if (requestState !== undefined && typeof requestState !== 'string') throw invalidParams('requestState must be a string')
      if (requestState !== undefined) state = withoutPrototypes(await stateStore.load(requestState))
      isResumed = requestState !== undefined
      for (const [key, response] of Object.entries(inputResponses)) {
        const fingerprint = requestState === undefined ? ANY_REQUEST : state.inputRequests[key]
        if (fingerprint !== undefined && isObject(response)) state.inputResponses[key] = { fingerprint, response }
      }
    },
    key(kind, key) {
      if (key !== undefined) return key
      const count = (counters.get(kind) ?? 0) + 1
      counters.set(kind, count)
      return `${kind}-${count}`
    },
    responseTo(key, inputRequest) {
      const known = state.inputResponses[key]
      const matches = known && (known.fingerprint === ANY_REQUEST || known.fingerprint === fingerprintOf(inputRequest))
      return matches ? known.response : undefined
    },
    suspend(key, inputRequest) {
      pending.set(key, inputRequest)
      onSuspend()
      throw new InputRequiredError(`The call is suspended until the client responds to ${key}`)
    },
    async step<T>(name: string, effect: () => T | Promise<T>): Promise<JsonForm<T>> {
      if (steps.has(name)) throw duplicateStep(name)
      const run = Object.hasOwn(state.steps, name) ? Promise.resolve(state.steps[name] as JsonForm<T>) : runStep(name, effect)
      steps.set(name, run)
      // The handler may try again what has failed.
      return await run.catch((error: unknown) => {
        steps.delete(name)
        throw error
      })
    },
    async snapshot() {
      if (isResumed) await useState()
      await Promise.allSettled(steps.values())
      return { ...state, inputRequests: {} }
    },
    async inputRequiredResult() {
      await Promise.allSettled(steps.values())
      if (state.roundTrips >= maxRoundTrips) throw invalidParams(`the call exceeds the limit of ${maxRoundTrips} round trips`)
      const inputRequests = Object.fromEntries([...pending].map(([key, inputRequest]) => [key, fingerprintOf(inputRequest)]))
      const requestState = await stateStore.save({ ...state, roundTrips: state.roundTrips + 1, inputRequests })
      return { resultType: 'input_required', inputRequests: Object.fromEntries(pending), requestState }
    },
  }
}

function duplicateStep(name: string): TypeError {
  return new TypeError(
    `call.step: there are two steps with the name ${JSON.stringify(name)} in one run, and only the result of one is stored. Give each step another name; in a loop, put the item into it`,
  )
}

/** The fingerprint of a response that came without a request state. It is the client's own data, so it may answer any request. */
const ANY_REQUEST = ''

/** Creates an object without a prototype, because its keys come from the client. */
function record<T>(): { [key: string]: T } {
  return Object.create(null) as { [key: string]: T }
}

function withoutPrototypes(state: RequestState): RequestState {
  const { inputResponses, steps, inputRequests } = state
  return {
    ...state,
    inputResponses: Object.assign(record(), inputResponses),
    steps: Object.assign(record(), steps),
    inputRequests: Object.assign(record(), inputRequests),
  }
}

/** Returns a 64-bit hash of an input request, so that a response counts only for the request that it responds to. */
function fingerprintOf(request: InputRequest): string {
  const text = JSON.stringify(request)
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    high = Math.imul(high ^ unit, 2654435761)
    low = Math.imul(low ^ unit, 1597334677)
  }
  return (high >>> 0).toString(36) + (low >>> 0).toString(36)
}
