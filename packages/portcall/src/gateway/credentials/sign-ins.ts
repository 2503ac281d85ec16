/**
 * Sign-ins of users at servers, in the store: one for each user and server at a time, however many calls and processes wait for it. A sign-in
 * is offered as a link, opened by one browser, and finished once.
 */

import { createBackoff } from '../../../../util/src/backoff.ts'
import { constantTimeEqual, sha256 } from '../../../../util/src/digest.ts'
import { randomId } from '../../../../util/src/random.ts'
import { delay } from '../../../../util/src/timers.ts'
import type { KeyValueStore } from '../../stores/store.ts'

/** The account of a user of the gateway at one server. */
export interface AccountId {
  readonly server: string
  /** The user of the gateway. */
  readonly principal: string
}

/** An authorization request, and the link that leads the user to it. */
export interface AccountSignIn extends AccountId {
  /** Identifies the sign-in. It is not secret. */
  readonly id: string
  /** The secret part of the link. */
  readonly link: string
  /** The page of the authorization server. */
  readonly url: string
  /** The `state` parameter of `url`. */
  readonly state: string
  readonly status: 'offered' | 'opened' | 'finishing' | 'failed'
  /** The browser that opened the link. */
  readonly browser?: string
  /** The reason why the sign-in failed. */
  readonly reason?: string
  readonly expiresAt: number
}

export interface AccountSignIns {
  /** Returns the sign-in of an account: the one that was offered before, or a new one with this authorization request. */
  offer(account: AccountId, request: { readonly url: string; readonly state: string }): Promise<AccountSignIn>
  /** Returns the sign-in that is offered or in progress. */
  current(account: AccountId): Promise<AccountSignIn | undefined>
  findByLink(link: string): Promise<AccountSignIn | undefined>
  findByState(state: string): Promise<AccountSignIn | undefined>
  /** Records the browser that opened the link. Returns whether no other browser did. */
  open(signIn: AccountSignIn, browser: string): Promise<boolean>
  /** Runs a task that finishes the sign-in. Returns false if another process does. @throws the error of the task. */
  finish(signIn: AccountSignIn, task: () => Promise<void>): Promise<boolean>
  /**
   * Waits until the sign-in with this id is finished or replaced by another. Returns why it failed, if it did, or `pending` if the time is
   * over.
   */
  wait(signIn: Pick<AccountSignIn, 'server' | 'principal' | 'id'>, options: SignInWait): Promise<SignInOutcome>
  /** Deletes a sign-in that nobody has opened. */
  withdraw(signIn: AccountSignIn): Promise<void>
}

/** Limits of waiting for a sign-in. */
export interface SignInWait {
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** The outcome of a sign-in, or `pending`. */
export type SignInOutcome = 'finished' | 'pending' | { readonly failed: string }

/** Time in which a failure is reported to waiting calls. */
const FAILURE_TTL_MS = 60_000
/** A link that is about to expire is not offered again. */
const MIN_REMAINING_MS = 60_000
const POLLING = { firstMs: 50, maxMs: 1000 }

export function createAccountSignIns(store: KeyValueStore, ttlMs: number): AccountSignIns {
  const keyOf = ({ server, principal }: AccountId): string => `sign-in:${JSON.stringify([server, principal])}`
  const indexKey = async (kind: 'link' | 'state', secret: string): Promise<string> => `${kind}:${await sha256(secret)}`
  const read = async (key: string): Promise<{ text: string | undefined; signIn: AccountSignIn | undefined }> => {
    const text = await store.get(key)
    return { text, signIn: text === undefined ? undefined : (JSON.parse(text) as AccountSignIn) }
  }
  /** Replaces the sign-in if it is still the same. */
  const update = async (signIn: AccountSignIn, change: Partial<AccountSignIn>): Promise<boolean> => {
    const { text, signIn: stored } = await read(keyOf(signIn))
    if (text === undefined || stored?.state !== signIn.state || stored.status !== signIn.status) return false
    const remainingMs = Math.max(1, signIn.expiresAt - Date.now())
    const value = JSON.stringify({ ...stored, ...change })
    return store.compareAndSet(keyOf(signIn), { expected: text, value, ttlMs: remainingMs })
  }
  const findBy = async (kind: 'link' | 'state', secret: string): Promise<AccountSignIn | undefined> => {
    const account = await store.get(await indexKey(kind, secret))
    const { signIn } = account === undefined ? {} : await read(keyOf(JSON.parse(account) as AccountId))
    return signIn && signIn.status !== 'failed' && constantTimeEqual(signIn[kind], secret) ? signIn : undefined
  }

  return {
    async offer({ server, principal }, { url, state }) {
      const account: AccountId = { server, principal }
      for (;;) {
        const { text, signIn } = await read(keyOf(account))
        if (signIn && signIn.status !== 'failed' && signIn.expiresAt - Date.now() > MIN_REMAINING_MS) return signIn
        const link = randomId(32)
        const id = randomId(8)
        const created: AccountSignIn = { ...account, id, link, url, state, status: 'offered', expiresAt: Date.now() + ttlMs }
        for (const [kind, secret] of [['link', link] as const, ['state', state] as const])
          await store.set(await indexKey(kind, secret), JSON.stringify(account), { ttlMs })
        const isWritten = await store.compareAndSet(keyOf(account), { expected: text, value: JSON.stringify(created), ttlMs })
        if (isWritten) return created
      }
    },
    current: async (account) => {
      const { signIn } = await read(keyOf(account))
      return signIn?.status === 'failed' ? undefined : signIn
    },
    findByLink: (link) => findBy('link', link),
    findByState: (state) => findBy('state', state),
    async open(signIn, browser) {
      if (signIn.status === 'opened' && signIn.browser !== undefined && constantTimeEqual(signIn.browser, browser)) return true
      return signIn.status === 'offered' && update(signIn, { status: 'opened', browser })
    },
    async finish(signIn, task) {
      if (!(await update(signIn, { status: 'finishing' }))) return false
      try {
        await task()
        await store.delete(keyOf(signIn))
      } catch (error) {
        const reason = error instanceof Error ? error.message : 'unknown'
        const failed: AccountSignIn = { ...signIn, status: 'failed', reason }
        await store.set(keyOf(signIn), JSON.stringify(failed), { ttlMs: FAILURE_TTL_MS })
        throw error
      }
      return true
    },
    async wait({ id, ...account }, { timeoutMs, signal }) {
      const backoff = createBackoff(POLLING)
      for (const startedAt = performance.now(); ; await delay(backoff.next(), signal)) {
        const { signIn } = await read(keyOf(account))
        if (signIn?.id !== id) return 'finished'
        if (signIn.status === 'failed') return { failed: signIn.reason ?? 'unknown' }
        if (performance.now() - startedAt >= timeoutMs) return 'pending'
      }
    },
    async withdraw({ id, ...account }) {
      const { text, signIn } = await read(keyOf(account))
      if (signIn?.id === id && signIn.status === 'offered')
        await store.compareAndSet(keyOf(account), { expected: text, value: undefined })
    },
  }
}
