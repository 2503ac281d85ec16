import { randomId } from '../../../../util/src/random.ts'
import type { JsonObject, Request } from '../../jsonrpc/message.ts'
import { invalidParams } from '../../protocol/errors.ts'
import { ownerKey } from '../../stores/owned-keys.ts'
import { digest, SealError } from '../../stores/sealing/seal.ts'
import type { RequestState, RequestStateStore, SealedStateOptions } from './request-state.ts'
import { useState } from './single-use.ts'

const STATE = 'state'
const HANDLE = 'state-handle'
const STORE_KEY = 'state/'

/**
 * Opens a store that sends states to the client as sealed `requestState`. A state is valid for one principal, one method with the same params,
 * and a limited time.
 */
export function openSealedStates(
  request: Request,
  principal: string | undefined,
  options: SealedStateOptions,
): Required<Pick<RequestStateStore, 'load' | 'save' | 'use'>> {
  const { sealer, store, requestStateTtlMs, maxInlineRequestStateBytes, singleUseRequestState } = options
  const claims = async () => ({
    ttlMs: requestStateTtlMs,
    binding: await digest({ method: request.method, params: withoutRoundTripParams(request.params) }),
    ...(principal === undefined ? {} : { principal }),
  })
  /** The owner in the keys of the store. Callers that are not signed in are one owner. */
  const owner = async (): Promise<string> => (principal === undefined ? '' : `${await ownerKey(principal)}/`)
  const open = async (token: string): Promise<RequestState> => {
    const expected = await claims()
    if (!token.startsWith(HANDLE)) return (await sealer.open(STATE, token, expected)) as RequestState
    const handle = (await sealer.open(HANDLE, token.slice(HANDLE.length + 1), expected)) as string
    const stored = await store.get(STORE_KEY + (await owner()) + handle)
    if (stored === undefined) throw new SealError('expired')
    return JSON.parse(stored) as RequestState
  }

  return {
    async load(token) {
      // Telemetry of another process, which this one may lack, appends the span of the request. See telemetry/round-trips.ts.
      const [sealed = ''] = token.split('~', 1)
      const state = await open(sealed).catch((error) => {
        throw error instanceof SealError ? invalidParams('requestState has expired or is not valid for this request') : error
      })
      return singleUseRequestState === 'always' ? { ...state, lastUse: await useState(state, await owner(), options) } : state
    },
    use: async (state) => (singleUseRequestState === 'always' ? state.lastUse : useState(state, await owner(), options)),
    async save(unidentified) {
      const state: RequestState = { callId: randomId(), ...unidentified }
      const text = JSON.stringify(state)
      if (text.length <= maxInlineRequestStateBytes) return sealer.seal(STATE, state, await claims())
      const handle = randomId(24)
      await store.set(STORE_KEY + (await owner()) + handle, text, { ttlMs: requestStateTtlMs })
      return `${HANDLE}.${await sealer.seal(HANDLE, handle, await claims())}`
    },
  }
}

/** Returns the params without the members that change from one round trip to the next. */
function withoutRoundTripParams(params: JsonObject | undefined): JsonObject {
  const { _meta, inputResponses, requestState, ...rest } = params ?? {}
  return rest
}
