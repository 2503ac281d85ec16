import type { JsonObject, Request } from '../../jsonrpc/message.ts'
import { invalidParams } from '../../protocol/errors.ts'
import { digest, SealError, type Sealer } from '../../stores/sealing/seal.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import { randomId } from '../../util/random.ts'

/** The state of a suspended call, as JSON: what a later run of its handler needs from the earlier ones. */
export interface RequestState {
  /** How many times the call was suspended. */
  roundTrips: number
  /** The client's responses, by key. */
  inputResponses: {
    [key: string]: {
      /** The fingerprint of the input request that this responds to. */
      fingerprint: string
      /** The result that the client sent. */
      response: JsonObject
    }
  }
  /** The results of steps by name. */
  steps: { [name: string]: unknown }
  /** The fingerprints of the input requests that the client has not responded to yet, by key. */
  inputRequests: { [key: string]: string }
}

/** Stores the state of a suspended call between its round trips. */
export interface RequestStateStore {
  /** Stores a state and returns the `requestState` that identifies it. */
  save(state: RequestState): Promise<string>
  /** Returns the state that a `requestState` identifies. @throws RpcError -32602 when it is not a state of this call. */
  load(requestState: string): Promise<RequestState>
  /** Stores the result of a step. The handler receives the result once this settles. */
  saveStep?(name: string, result: unknown): Promise<void>
}

export interface SealedStateOptions {
  readonly sealer: Sealer
  readonly store: KeyValueStore
  /** Lifetime of a state, in milliseconds. */
  readonly requestStateTtlMs: number
  /** A larger state, in bytes, is saved in the store, and only a handle is sent to the client. */
  readonly maxInlineRequestStateBytes: number
}

const STATE = 'state'
const HANDLE = 'state-handle'
const STORE_KEY = 'state/'

/**
 * Creates a state store that sends the state to the client as sealed `requestState`. A state is valid for one principal, one method with the
 * same params, and a limited time.
 */
export function createSealedStateStore(
  request: Request,
  principal: string | undefined,
  options: SealedStateOptions,
): RequestStateStore {
  const { sealer, store, requestStateTtlMs, maxInlineRequestStateBytes } = options
  const binding = (): Promise<string> => digest({ method: request.method, params: withoutRoundTripParams(request.params) })
  const claims = async () => ({
    ttlMs: requestStateTtlMs,
    binding: await binding(),
    ...(principal === undefined ? {} : { principal }),
  })

  return {
    async load(token) {
      try {
        const expected = await claims()
        if (!token.startsWith(HANDLE)) return (await sealer.open(STATE, token, expected)) as RequestState
        const handle = (await sealer.open(HANDLE, token.slice(HANDLE.length + 1), expected)) as string
        const stored = await store.get(STORE_KEY + handle)
        if (stored === undefined) throw new SealError('expired')
        return JSON.parse(stored) as RequestState
      } catch (error) {
        throw error instanceof SealError ? invalidParams('requestState has expired or is not valid for this request') : error
      }
    },
    async save(state) {
      const text = JSON.stringify(state)
      if (text.length <= maxInlineRequestStateBytes) return sealer.seal(STATE, state, await claims())
      const handle = randomId(24)
      await store.set(STORE_KEY + handle, text, { ttlMs: requestStateTtlMs })
      return `${HANDLE}.${await sealer.seal(HANDLE, handle, await claims())}`
    },
  }
}

/** Returns the params without the members that change from one round trip to the next. */
function withoutRoundTripParams(params: JsonObject | undefined): JsonObject {
  const { _meta, inputResponses, requestState, ...rest } = params ?? {}
  return rest
}
