/**
 * Single use of request states. Every state of a call carries the same call id and the token of the last use of the call. A use replaces the
 * token in the store if the state carries the current one, so of all states of a call, however they were copied, one can be used.
 */

import { oncePer } from '../../../../util/src/once-per.ts'
import { randomId } from '../../../../util/src/random.ts'
import { invalidParams } from '../../protocol/errors.ts'
import { createMemoryStore } from '../../stores/memory/store.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import type { RequestState, SealedStateOptions } from './request-state.ts'

const KEY = 'state-use/'
/** The number of calls that a process without `stores` remembers. */
const MAX_CALLS = 100_000
/** A use is remembered for longer than any state that was sealed before it, or while the handler still ran after it, is valid. */
const TTL_FACTOR = 2

/** The uses of a server without `stores`. They have a store of their own, so that large states do not evict them. */
const localStore: (options: SealedStateOptions) => KeyValueStore = oncePer(() => createMemoryStore({ maxEntries: MAX_CALLS }))

/**
 * Uses a state of an owner, whose uses do not evict those of others. Resolves to the token that later states of the call have to carry.
 *
 * @throws RpcError -32602 if the state, or another state of the call that was created in place of it, was used before.
 */
export async function useState(
  { callId = '', lastUse }: RequestState,
  owner: string,
  options: SealedStateOptions,
): Promise<string> {
  const { sharedStore: store = localStore(options), requestStateTtlMs } = options
  const use = randomId()
  const ttlMs = requestStateTtlMs * TTL_FACTOR
  if (await store.compareAndSet(KEY + owner + callId, { expected: lastUse, value: use, ttlMs })) return use
  throw invalidParams('requestState was used before. The call may have had an effect: check that before you repeat it')
}
