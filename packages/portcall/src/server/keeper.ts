import type { JsonObject, Request } from '../jsonrpc/message.ts'
import { invalidParams } from '../protocol/errors.ts'
import { digest, randomId, SealError, type Sealer } from '../stores/seal.ts'
import type { Store } from '../stores/store.ts'

/** What a call remembers from one round to the next; plain JSON. */
export interface CallState {
  round: number
  /** Answers by the key of their question, with the question's mark. */
  answers: { [key: string]: { mark: string; answer: JsonObject } }
  /** Results of steps. */
  steps: { [name: string]: unknown }
  /** Marks of the questions that the client was sent away with. */
  asked: { [key: string]: string }
}

/** Where the state of a call rests between its rounds: `close` gives the `requestState` that `open` takes. */
export interface Keeper {
  close(state: CallState): Promise<string>
  /** @throws RpcError -32602 when this is no state of this call. */
  open(requestState: string): Promise<CallState>
  /** Hears of the result of a step before the handler does; while this is under way the handler waits. */
  step?(name: string, result: unknown): Promise<void>
}

export interface SealedOptions {
  readonly sealer: Sealer
  readonly store: Store
  /** How long a client may take to answer, in milliseconds. */
  readonly stateTtlMs: number
  /** Above this many bytes the state rests in the store, and only its handle travels. */
  readonly maxStateBytes: number
}

const PURPOSE = 'state'
const HANDLE = 'state-handle'
const STORE_KEY = 'state/'

/** Lets the state of a call travel through its client, sealed: bound to the caller, to the method with its params, and to a time. */
export function createSealed(request: Request, principal: string | undefined, options: SealedOptions): Keeper {
  const { sealer, store, stateTtlMs, maxStateBytes } = options
  const binding = (): Promise<string> => digest({ method: request.method, params: salient(request.params) })
  const claims = async () => ({ ttlMs: stateTtlMs, binding: await binding(), ...(principal === undefined ? {} : { principal }) })

  return {
    async open(token) {
      try {
        const expected = await claims()
        if (!token.startsWith(HANDLE)) return (await sealer.open(PURPOSE, token, expected)) as CallState
        const handle = (await sealer.open(HANDLE, token.slice(HANDLE.length + 1), expected)) as string
        const stored = await store.get(STORE_KEY + handle)
        if (stored === undefined) throw new SealError('expired')
        return JSON.parse(stored) as CallState
      } catch (error) {
        throw error instanceof SealError ? invalidParams('requestState is not valid for this request (any more)') : error
      }
    },
    async close(state) {
      const text = JSON.stringify(state)
      if (text.length <= maxStateBytes) return sealer.seal(PURPOSE, state, await claims())
      const handle = randomId(24)
      await store.set(STORE_KEY + handle, text, { ttlMs: stateTtlMs })
      return `${HANDLE}.${await sealer.seal(HANDLE, handle, await claims())}`
    },
  }
}

/** The params without what differs from round to round. */
function salient(params: JsonObject | undefined): JsonObject {
  const { _meta, inputResponses, requestState, ...rest } = params ?? {}
  return rest
}
