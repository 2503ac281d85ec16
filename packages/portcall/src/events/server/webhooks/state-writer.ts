import type { FeedPosition } from '../cursor.ts'
import type { LeasedSubscription } from './leased-subscription.ts'
import type { DeliveryState, SubscriptionRecord } from './record.ts'
import type { SubscriptionStore } from './subscription-store.ts'

/** The delivery ends in this process: the subscription is gone, or another process delivers. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError'
}

/** The state of a subscription that this process delivers. */
export interface StateWriter {
  /** The state, with the position that `skip` has set. */
  readonly current: DeliveryState
  /** The state as it is stored. */
  readonly stored: DeliveryState
  /** Begins: from now on, only this process may change the state. */
  begin(): Promise<void>
  /**
   * Applies a change, unless a refresh has moved the position. Resolves to whether it did not.
   *
   * @throws StoppedError if another process delivers now.
   */
  save(change: (state: DeliveryState) => DeliveryState): Promise<boolean>
  /** Moves the position without saving it. */
  skip(from: FeedPosition): void
  /** Saves the position that `skip` has set. */
  flush(): Promise<void>
}

export interface StateWriterOptions {
  readonly leased: LeasedSubscription
  readonly subscriptions: Pick<SubscriptionStore, 'changeState'>
  readonly requireRecord: () => Promise<SubscriptionRecord>
}

export function createStateWriter({ leased, subscriptions, requireRecord }: StateWriterOptions): StateWriter {
  const { ref, run, lease, type } = leased
  let state: DeliveryState = { from: { side: 'after', position: '' }, generation: 0 }
  let stored: DeliveryState = state
  const setState = (saved: DeliveryState): void => {
    state = saved
    stored = saved
  }
  const save: StateWriter['save'] = async (change) => {
    await lease.whenHeld()
    const { expiresAt } = await requireRecord()
    const { generation } = state
    const after = await subscriptions.changeState(ref, expiresAt, (before) => {
      if (before?.run !== run) return undefined
      return before.generation === generation ? change(before) : before
    })
    if (!after) throw new StoppedError()
    setState(after)
    return after.generation === generation
  }
  return {
    get current() {
      return state
    },
    get stored() {
      return stored
    },
    async begin() {
      const { expiresAt } = await requireRecord()
      const end = await type.feed.end()
      let before: DeliveryState | undefined
      const begun = await subscriptions.changeState(ref, expiresAt, (found) => {
        before = found
        return { from: end, generation: 0, ...found, run }
      })
      if (!begun) throw new StoppedError()
      setState(begun)
      const known = leased.position.takeIf(before)
      if (known) state = { ...begun, from: known }
    },
    save,
    skip(from) {
      state = { ...state, from }
    },
    async flush() {
      const { from } = state
      if (from !== stored.from) await save((before) => ({ ...before, from }))
    },
  }
}
