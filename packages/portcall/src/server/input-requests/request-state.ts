import type { JsonObject } from '../../jsonrpc/message.ts'
import type { Sealer } from '../../stores/sealing/seal.ts'
import type { KeyValueStore } from '../../stores/store.ts'

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
  /** Identifies the call. All states of one call have the same. */
  callId?: string
  /** Identifies the last use of a state of this call. Absent if none was used. */
  lastUse?: string | undefined
}

/** Stores the state of a suspended call between its round trips. */
export interface RequestStateStore {
  /** Stores a state and returns the `requestState` that identifies it. */
  save(state: RequestState): Promise<string>
  /** Returns the state that a `requestState` identifies. @throws RpcError -32602 when it is not a state of this call. */
  load(requestState: string): Promise<RequestState>
  /**
   * Called before a resumed call has an effect. Resolves to the `lastUse` of its later states.
   *
   * @throws RpcError -32602 when the state, or another one that was created in place of it, was used before.
   */
  use?(state: RequestState): Promise<string | undefined>
  /** Called before the effect of each step. The effect runs once this resolves. */
  beforeStep?(): Promise<void>
  /** Stores the result of a step. The handler receives the result once this settles. */
  saveStep?(name: string, result: unknown): Promise<void>
}

export interface SealedStateOptions {
  readonly sealer: Sealer
  readonly store: KeyValueStore
  /** The store that all processes share. Undefined if there is only this process. */
  readonly sharedStore: KeyValueStore | undefined
  /** See `ServerOptions`. */
  readonly singleUseRequestState: 'steps' | 'always'
  /** Lifetime of a state, in milliseconds. */
  readonly requestStateTtlMs: number
  /** A larger state, in bytes, is saved in the store, and only a handle is sent to the client. */
  readonly maxInlineRequestStateBytes: number
}
