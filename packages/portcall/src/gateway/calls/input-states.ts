import { authorizationKey } from '../../jsonrpc/authorization-key.ts'
import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import type { JsonObject, Request } from '../../jsonrpc/message.ts'
import { invalidParams } from '../../protocol/errors.ts'
import { digest, SealError, type Sealer } from '../../stores/sealing/seal.ts'

/** The state of a call that is repeated with input responses. */
export interface InputState {
  /** The name of the server that the call was sent to. */
  readonly server: string
  /** The `requestState` of the server, byte for byte. */
  readonly upstream?: string | undefined
  /** The gateway itself asked: the responses are not for the server. */
  readonly isOwn?: boolean
  /** True if the policies have allowed the call, for the authorization of the request that the state was opened for. */
  readonly isAllowed?: boolean
  /** The digest of the authorization that the policies have allowed the call for. */
  readonly allowedFor?: string
  /** The input responses for the server that came with the call that the gateway interrupted. */
  readonly pausedRoundTrip?: { readonly inputResponses?: unknown; readonly requestState?: unknown } | undefined
  /** The process of the gateway that the call waits in. Absent if any process can continue it. */
  readonly process?: string | undefined
}

/** Puts the state of a call that requires input into its `requestState`, and reads it from the repeated call. */
export interface InputStates {
  seal(state: InputState, request: Request, context: Pick<ExchangeContext, 'auth'>): Promise<string>
  /** @throws RpcError if the state has expired, was changed, or belongs to another caller or call. */
  open(requestState: unknown, request: Request, context: Pick<ExchangeContext, 'auth'>): Promise<InputState>
}

const PURPOSE = 'gateway-input'

/** Creates input states. A state is valid for one caller, one method with the same params, and a limited time. */
export function createInputStates(sealer: Sealer, ttlMs: number): InputStates {
  return {
    async seal(state, request, { auth }) {
      const bound = state.isAllowed ? { ...state, allowedFor: await digest(authorizationKey(auth)) } : state
      return sealer.seal(PURPOSE, bound, { ttlMs, principal: auth?.principal, binding: await bindingOf(request) })
    },
    async open(requestState, request, { auth }) {
      if (typeof requestState !== 'string') throw invalidParams('requestState must be a string')
      const claims = { principal: auth?.principal, binding: await bindingOf(request) }
      const state = (await sealer.open(PURPOSE, requestState, claims).catch((error: unknown) => {
        throw error instanceof SealError ? invalidParams('requestState has expired or is not valid for this request') : error
      })) as InputState
      // The policies decide again if the authorization has changed.
      if (!state.isAllowed || state.allowedFor === (await digest(authorizationKey(auth)))) return state
      return { ...state, isAllowed: false }
    },
  }
}

function bindingOf({ method, params = {} }: Request): Promise<string> {
  const { _meta, inputResponses, requestState, ...bound }: JsonObject = params
  return digest([method, bound])
}
