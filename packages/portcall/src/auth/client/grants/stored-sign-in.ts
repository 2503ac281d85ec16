/**
 * Sign-ins in the store. The process that starts one need not be the one that receives the response, and need not run any more by then: what
 * the response is checked against and redeemed with is stored under a hash of its `state`.
 */

import { createBackoff } from '../../../../../util/src/backoff.ts'
import { sha256 } from '../../../../../util/src/digest.ts'
import { delay } from '../../../../../util/src/timers.ts'
import type { KeyValueStore } from '../../../stores/store.ts'
import { AuthError, type AuthErrorReason, type OAuthErrorResponse } from '../errors.ts'
import { parseStored } from '../tokens/token-store.ts'
import type { AuthorizationServer, ClientIdentity, TokenSet } from '../types.ts'

/** The means to finish a sign-in. */
export interface StartedSignIn {
  /** The URL of the MCP endpoint. */
  readonly endpoint: string
  readonly server: AuthorizationServer
  readonly resource: string
  readonly scope?: string
  readonly redirectUri: string
  /** The PKCE code verifier. */
  readonly verifier: string
  /** The client, if it was registered dynamically. */
  readonly client?: ClientIdentity
  /** The key that the tokens will be bound to. */
  readonly dpopKey?: JsonWebKey
}

type StoredSignIn =
  | { readonly status: 'pending'; readonly signIn: StartedSignIn }
  /** A process redeems the code. */
  | { readonly status: 'redeeming' }
  | { readonly status: 'done'; readonly tokens: TokenSet }
  | {
      readonly status: 'failed'
      readonly reason: AuthErrorReason
      readonly message: string
      readonly response?: OAuthErrorResponse
    }

export interface StoredSignIns {
  /** Stores a sign-in until it is finished or expires. */
  save(state: string, signIn: StartedSignIn): Promise<void>
  /**
   * Runs a task that finishes a sign-in, in one process only, and stores its outcome for the process that waits.
   *
   * @throws AuthError `state_mismatch` if there is no such sign-in, or if it was finished before; whatever the task throws.
   */
  finish(state: string, task: (signIn: StartedSignIn) => Promise<TokenSet>): Promise<TokenSet>
  /** Waits until a process has finished the sign-in. @throws AuthError that it failed with, or `timed_out`; the reason of the signal. */
  wait(state: string, signal: AbortSignal): Promise<TokenSet>
}

export interface StoredSignInsOptions {
  readonly store: KeyValueStore
  /** Separates the sign-ins of users and grants that share the store. */
  readonly owner: string
  readonly ttlMs: number
}

/** How long the outcome of a sign-in is stored for the process that waits. */
const OUTCOME_TTL_MS = 60_000
const POLLING = { firstMs: 100, maxMs: 2000 }

export function createStoredSignIns({ store, owner, ttlMs }: StoredSignInsOptions): StoredSignIns {
  const keyOf = async (state: string): Promise<string> => `portcall:sign-in:${JSON.stringify([owner, await sha256(state)])}`
  const saveOutcome = (key: string, outcome: StoredSignIn): Promise<void> =>
    store.set(key, JSON.stringify(outcome), { ttlMs: OUTCOME_TTL_MS })
  const claim = async (key: string): Promise<StartedSignIn> => {
    const text = await store.get(key)
    const stored = parseStored<StoredSignIn>(text)
    const value = JSON.stringify({ status: 'redeeming' } satisfies StoredSignIn)
    if (stored?.status === 'pending' && (await store.compareAndSet(key, { expected: text, value, ttlMs }))) return stored.signIn
    throw new AuthError('state_mismatch', 'The authorization response does not belong to a pending sign-in')
  }

  return {
    save: async (state, signIn) =>
      store.set(await keyOf(state), JSON.stringify({ status: 'pending', signIn } satisfies StoredSignIn), { ttlMs }),
    async finish(state, task) {
      const key = await keyOf(state)
      const signIn = await claim(key)
      try {
        const tokens = await task(signIn)
        await saveOutcome(key, { status: 'done', tokens })
        return tokens
      } catch (error) {
        const { reason, message, response } =
          error instanceof AuthError ? error : new AuthError('unreachable', 'The sign-in could not be finished')
        await saveOutcome(key, { status: 'failed', reason, message, ...(response && { response }) })
        throw error
      }
    },
    async wait(state, signal) {
      const key = await keyOf(state)
      const backoff = createBackoff(POLLING)
      for (;;) {
        const stored = parseStored<StoredSignIn>(await store.get(key))
        if (!stored) throw new AuthError('timed_out', `The user did not sign in within ${ttlMs} ms`)
        if (stored.status === 'done' || stored.status === 'failed') await store.delete(key)
        if (stored.status === 'done') return stored.tokens
        if (stored.status === 'failed') throw new AuthError(stored.reason, stored.message, { response: stored.response })
        await delay(backoff.next(), signal)
      }
    },
  }
}
