import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { sha256 } from '../../../../util/src/digest.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { StoreFullError } from '../../stores/errors.ts'
import { createDefaultStore, openStore } from '../../stores/open-store.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import type { GatewayItemKind } from './types.ts'

/** A call that needs an approval. */
export interface ApprovalRequest {
  /** Identifies the call: the same caller, item and arguments have the same id. */
  readonly id: string
  /** The server, by its name in the configuration. */
  readonly server: string
  /** The kind of item. */
  readonly kind: GatewayItemKind
  /** The name or URI of the item on the server. */
  readonly name: string
  /** The method, such as `tools/call`. */
  readonly method: string
  /** The arguments of the call. They may contain secrets. */
  readonly arguments?: JsonObject | undefined
  /** The caller, if it is authenticated. */
  readonly principal?: string | undefined
  /** The rule that requires the approval. */
  readonly rule: string
}

/** The state of an approval. */
export type ApprovalState = 'pending' | 'approved' | 'denied'

/** The decision about a call: its state, or the reason why it cannot wait for one. */
export type ApprovalDecision = ApprovalState | 'full' | 'too-large'

/** Approves calls. */
export interface Approver {
  /**
   * Returns whether a call is approved. The call runs if the result is `approved`: return it only once for each approval. `full` and `too-large` tell
   * the caller that the call does not wait, and that nobody denied it.
   */
  decide(request: ApprovalRequest): ApprovalDecision | Promise<ApprovalDecision>
}

/** A call in an approval queue. */
export interface QueuedApproval extends ApprovalRequest {
  /** The state of the approval. */
  readonly state: ApprovalState
  /** Time of the first request, as an ISO date. */
  readonly requestedAt: string
  /** Expiry of the request, or of the decision about it, as an ISO date. */
  readonly expiresAt: string
  /** The approver, as passed to `approve` or `deny`. */
  readonly decidedBy?: string | undefined
}

/** Calls that wait for the decision of an approver other than their caller. Each approval is valid for one call. */
export interface ApprovalQueue extends Approver {
  /** Returns the calls that wait, and those that were decided and have not been sent again, up to 1000. */
  list(): Promise<QueuedApproval[]>
  /** Approves a call that waits. Resolves to false if there is none with this id. */
  approve(id: string, by?: string): Promise<boolean>
  /** Denies a call that waits. Resolves to false if there is none with this id. */
  deny(id: string, by?: string): Promise<boolean>
}

/** Options of `createApprovalQueue`. */
export interface ApprovalQueueOptions {
  /** The store of the calls. Several processes need a shared one. Default: in memory, where nothing is evicted. */
  readonly store?: KeyValueStore
  /** Lifetime of a queued call, and of the decision about it, in milliseconds. Default: 1 hour. */
  readonly ttlMs?: number
  /** Maximum number of calls in the queue, with those that are decided. Further calls are refused. Default: 1000. */
  readonly maxQueued?: number
  /** Maximum number of calls of one principal in the queue. Callers that are not authenticated count as one. Default: 100. */
  readonly maxPrincipalQueued?: number
  /** Called when a call is added to the queue, for example to notify an approver. It must not throw. */
  readonly onQueued?: (request: ApprovalRequest) => void
}

const PREFIX = 'portcall:approval-queue:'
/** Followed by the hash of a principal and the id of one of its calls. */
const OWNED_PREFIX = 'portcall:approval-queue-of:'
/** Longer calls cannot be shown to a person in full. */
export const MAX_SHOWN_LENGTH = 20_000
const STORE_TIMEOUT_MS = 5000
const MAX_ATTEMPTS = 5

const NAMES: OptionNames<ApprovalQueueOptions> = { store: 'store', ttlMs: 1, maxQueued: 1, maxPrincipalQueued: 1, onQueued: 1 }

/** Creates an approval queue in a store. */
export function createApprovalQueue(options: ApprovalQueueOptions = {}): ApprovalQueue {
  checkOptions('createApprovalQueue()', options, { names: NAMES })
  const { ttlMs = 3_600_000, maxQueued = 1000, maxPrincipalQueued = 100, onQueued } = options
  const store = openStore(options.store ?? createDefaultStore({ whenFull: 'refuse' }), STORE_TIMEOUT_MS)
  const read = async (id: string): Promise<readonly [text: string, entry: QueuedApproval] | undefined> => {
    const text = await store.get(PREFIX + id)
    return text === undefined ? undefined : [text, JSON.parse(text) as QueuedApproval]
  }
  const createEntry = (request: ApprovalRequest, state: ApprovalState): QueuedApproval => ({
    ...request,
    state,
    requestedAt: new Date().toISOString(),
    expiresAt: new Date(Date.now() + ttlMs).toISOString(),
  })
  const ownedPrefix = async ({ principal }: ApprovalRequest): Promise<string> =>
    `${OWNED_PREFIX}${await sha256(JSON.stringify(principal ?? null))}/`
  /** Adds a call to the queue. Returns `undefined` if a concurrent request has added it. */
  const enqueue = async (request: ApprovalRequest): Promise<ApprovalDecision | undefined> => {
    const value = JSON.stringify(createEntry(request, 'pending'))
    if (value.length > MAX_SHOWN_LENGTH) return 'too-large'
    const owned = await ownedPrefix(request)
    if ((await store.count(PREFIX)) >= maxQueued || (await store.count(owned)) >= maxPrincipalQueued) return 'full'
    try {
      if (!(await store.compareAndSet(PREFIX + request.id, { expected: undefined, value, ttlMs }))) return undefined
      await store.set(owned + request.id, '', { ttlMs })
    } catch (error) {
      if (error instanceof StoreFullError) return 'full'
      throw error
    }
    onQueued?.(request)
    return 'pending'
  }
  const settle = async (id: string, state: ApprovalState, decidedBy: string | undefined): Promise<boolean> => {
    const [expected, entry] = (await read(id)) ?? []
    if (expected === undefined || entry?.state !== 'pending') return false
    const value = JSON.stringify({ ...entry, state, decidedBy, expiresAt: new Date(Date.now() + ttlMs).toISOString() })
    if (!(await store.compareAndSet(PREFIX + id, { expected, value, ttlMs }))) return false
    await store.set((await ownedPrefix(entry)) + id, '', { ttlMs })
    return true
  }
  /** Returns the state of a call, or `undefined` if a concurrent request changed it. */
  const tryDecide = async (request: ApprovalRequest): Promise<ApprovalDecision | undefined> => {
    const [expected, entry] = (await read(request.id)) ?? []
    if (expected === undefined || !entry) return enqueue(request)
    if (entry.state !== 'approved') return entry.state
    if (!(await store.compareAndSet(PREFIX + request.id, { expected, value: undefined }))) return undefined
    await store.delete((await ownedPrefix(request)) + request.id)
    return 'approved'
  }

  return {
    async decide(request) {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const state = await tryDecide(request)
        if (state) return state
      }
      return 'pending'
    },
    async list() {
      const keys = await store.list(PREFIX)
      const entries = await Promise.all(keys.map((key) => read(key.slice(PREFIX.length))))
      return entries.flatMap((entry) => (entry ? [entry[1]] : []))
    },
    approve: (id, by) => settle(id, 'approved', by),
    deny: (id, by) => settle(id, 'denied', by),
  }
}
