import { createTurns } from '../../../../../util/src/turns.ts'
import type { FeedPosition } from '../cursor.ts'
import type { EventTypeEntry } from '../event-types.ts'
import type { FeedEntry } from '../feed.ts'
import type { EventReader } from '../reader.ts'
import { type KnownSubscription, readKnown } from './known-subscription.ts'
import type { SubscriptionRef, SubscriptionStore } from './subscription-store.ts'

export interface SubscriptionScanOptions {
  readonly known: ReadonlyMap<SubscriptionRef, KnownSubscription>
  readonly subscriptions: Pick<SubscriptionStore, 'read' | 'changeState'>
  readonly reader: Pick<EventReader, 'mayReceive'>
  /** Looks for something to deliver to a subscription, and delivers it. */
  readonly process: (one: KnownSubscription) => void
  readonly stopping: AbortSignal
  readonly onError: (error: unknown) => void
}

/** A subscription that receives nothing is stored again after about as many entries: logs keep only the last ones. */
const MAX_SKIPPED = 2500
const MAX_WRITES = 8

/** Returns the function that finds the subscriptions that new events of a type are for. The others cost one call of the hook `match`. */
export function createScan(options: SubscriptionScanOptions): (type: EventTypeEntry) => void {
  const { known, reader, process, stopping, onError } = options
  const running = new Map<EventTypeEntry, { isOutdated: boolean }>()
  const store = createStorePosition(options)

  const look = (one: KnownSubscription, type: EventTypeEntry, entriesAfter: EntriesAfter): void => {
    const { position, reads } = one
    const entries = position.at && reads?.type === type ? entriesAfter(position.at) : undefined
    if (!entries || !reads) return process(one)
    const at = entries.findIndex((entry) => reader.mayReceive(reads, entry))
    const passed = at === -1 ? entries.length : at
    const last = entries[passed - 1]
    if (last) position.move(last, passed)
    if (at !== -1) {
      one.isUrgent = true
      process(one)
    } else if (last && position.skipped > MAX_SKIPPED * (1 - Math.random() / 2)) store(one)
  }
  const scan = async (type: EventTypeEntry): Promise<void> => {
    await type.feed.refresh()
    if (stopping.aborted) return
    const entriesAfter = createEntriesAfter(type)
    for (const one of known.values()) if (one.name === type.name || one.name === undefined) look(one, type, entriesAfter)
  }
  const run = async (type: EventTypeEntry, state: { isOutdated: boolean }): Promise<void> => {
    while (state.isOutdated && !stopping.aborted) {
      state.isOutdated = false
      await scan(type).catch(onError)
    }
    running.delete(type)
  }
  return (type) => {
    const current = running.get(type)
    if (current) {
      current.isOutdated = true
      return
    }
    const state = { isOutdated: true }
    running.set(type, state)
    void run(type, state)
  }
}

type EntriesAfter = (from: FeedPosition) => readonly FeedEntry[] | undefined

/** Returns the recent entries after positions. Most subscriptions are at the same one. */
function createEntriesAfter({ feed }: EventTypeEntry): EntriesAfter {
  let last: FeedPosition | undefined
  let entries: readonly FeedEntry[] | undefined
  return (from) => {
    if (last?.position === from.position && last.side === from.side) return entries
    last = from
    entries = feed.recent(from)
    return entries
  }
}

/** Returns the function that stores the position of a subscription that receives nothing, unless its state has changed. */
function createStorePosition({
  subscriptions,
  process,
  stopping,
  onError,
}: SubscriptionScanOptions): (one: KnownSubscription) => void {
  const turns = createTurns({ limit: MAX_WRITES, maxQueued: Infinity })
  const waiting = new Set<KnownSubscription>()
  const write = async (one: KnownSubscription): Promise<void> => {
    const { position, ref } = one
    const record = await readKnown(one, subscriptions)
    const from = position.at
    if (!record || !from || one.running) return
    const after = await subscriptions.changeState(ref, record.expiresAt, (state) =>
      state && position.atIf(state) ? { ...state, from } : undefined,
    )
    const { at } = position
    if (after && at) position.set(after, at)
    else process(one)
  }
  return (one) => {
    if (waiting.has(one)) return
    waiting.add(one)
    const run = async (): Promise<void> => {
      if ((await turns.begin({ signal: stopping })) !== true) return
      await write(one).finally(turns.end)
    }
    run()
      .catch((error: unknown) => void (stopping.aborted || onError(error)))
      .finally(() => waiting.delete(one))
  }
}
