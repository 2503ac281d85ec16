import { raceAbort } from '../../../../../util/src/timers.ts'
import { RpcError } from '../../../jsonrpc/errors.ts'
import type { FeedPosition } from '../cursor.ts'
import type { EventSubscriber } from '../definition.ts'
import type { CreateEventError } from '../errors.ts'
import type { FeedEntry } from '../feed.ts'
import type { EventsProfile } from '../profile.ts'
import type { EventReader, ReadItem } from '../reader.ts'
import type { Selector } from '../selection.ts'
import { type AttemptOptions, type Consequences, createAttempts, sendToEndpoint, type WebhookSendOptions } from './attempts.ts'
import type { LeasedSubscription } from './leased-subscription.ts'
import { envelopeId, eventMessage, gapMessage, terminatedMessage } from './messages.ts'
import {
  type DeliveryState,
  type HeldEvent,
  holding,
  nextRetryAt,
  passed,
  released,
  type SubscriptionRecord,
  watermarkOf,
} from './record.ts'
import { createStateWriter, type StateWriter, StoppedError } from './state-writer.ts'
import type { SubscriptionStore } from './subscription-store.ts'

export interface DeliverOptions extends AttemptOptions {
  readonly subscriptions: SubscriptionStore
  readonly reader: EventReader
  readonly selector: Pick<Selector, 'parse'>
  readonly createError: CreateEventError
  readonly profile: Pick<EventsProfile, 'webhookId'>
  readonly onError: (error: unknown) => void
}

/**
 * Why no more is delivered for now. `idle`: everything is delivered. `ended`: the subscription is gone, suspended, or delivered by another
 * process. Otherwise the next attempt is later; with `isIdle`, new events may be delivered before.
 */
export type DeliveryPause = 'idle' | 'ended' | { readonly waitMs: number; readonly isIdle?: true }

/** Positions behind entries that the subscriber does not receive are saved once for this many. */
const ENTRIES_PER_SAVE = 1000

/** The deliveries of a subscription, for as long as this process holds its lease. */
export interface SubscriptionDelivery {
  /** Delivers events, in order, until there are no more. */
  run(): Promise<DeliveryPause>
  /** Saves how far this process has come, before it gives the lease back. */
  close(): Promise<void>
}

/** Creates the deliveries of a subscription. A subscription whose events the caller may not receive any more ends. */
export function openDelivery(leased: LeasedSubscription, options: DeliverOptions): SubscriptionDelivery {
  const delivery = createDelivery(leased, options)
  const unlessStopped = async <T>(run: () => Promise<T>, stopped: T): Promise<T> => {
    try {
      return await run()
    } catch (error) {
      if (error instanceof StoppedError) return stopped
      if (!(error instanceof RpcError)) throw error
      await terminate(leased, error, options)
      return stopped
    }
  }
  return {
    run: () => unlessStopped<DeliveryPause>(delivery.run, 'ended'),
    close: () => unlessStopped<void>(delivery.close, undefined),
  }
}

function createDelivery(leased: LeasedSubscription, options: DeliverOptions): SubscriptionDelivery {
  const { type, signal } = leased
  const { reader, limits, now } = options
  const { requireRecord, readSubscriber } = createRecordReader(leased, options)
  const state = createStateWriter({ leased, subscriptions: options.subscriptions, requireRecord })
  const { mayContinue, fail, attempt } = createAttempts({ leased, state, requireRecord }, options)

  /** Says that events are missing, and continues with those that remain. */
  const deliverGap = async (from: FeedPosition): Promise<void> => {
    const gapId = state.current.gapId ?? envelopeId('gap')
    if (state.current.gapId === undefined) await state.save((before) => ({ ...before, gapId }))
    const attempts = (state.current.attempts ?? 0) + 1
    await attempt(gapMessage(gapId, reader.cursorOf(type, watermarkOf({ ...state.current, from }))), attempts, {
      keep: (before, retryAt) => ({ ...before, attempts, retryAt }),
      drop: (before) => passed(before, from),
    })
  }
  /** Delivers an event: for the first time, or one that is held. Resolves to whether the next one may follow. */
  const deliverEntry = async (entry: FeedEntry, held?: HeldEvent): Promise<boolean> => {
    const { position } = entry
    const attempts = (held?.attempts ?? 0) + 1
    const behind = (before: DeliveryState): DeliveryState => (held ? before : { ...before, from: { side: 'after', position } })
    const consequences: Consequences = {
      keep: (before, retryAt) => holding(behind(before), { position, attempts, retryAt }),
      drop: (before) => released(behind(before), position),
    }
    let item: ReadItem
    try {
      item = await raceAbort(reader.render({ type, subscriber: await readSubscriber() }, entry), signal)
    } catch (error) {
      if (error instanceof RpcError || error instanceof StoppedError || signal.aborted) throw error
      options.onError(error)
      return (await fail({ reason: 'http_5xx', attempts }, consequences)) && mayContinue()
    }
    const { occurrence } = item
    if (!occurrence) {
      if (held) return (await state.save(consequences.drop)) && mayContinue()
      state.skip(item.from)
      return true
    }
    const { id } = await requireRecord()
    const cursor = reader.cursorOf(type, watermarkOf(consequences.drop(state.current)))
    return attempt(await eventMessage(id, { ...occurrence, cursor }, options.profile), attempts, consequences)
  }
  const deliverEntries = async (entries: readonly FeedEntry[]): Promise<void> => {
    const subscriber = await readSubscriber()
    for (const [index, entry] of entries.entries()) {
      signal.throwIfAborted()
      if (!reader.mayReceive({ type, subscriber }, entry)) state.skip({ side: 'after', position: entry.position })
      else if (!(await deliverEntry(entry))) return
      if (index % ENTRIES_PER_SAVE === ENTRIES_PER_SAVE - 1) await state.flush()
    }
  }
  /** Delivers an event that is held. One that is gone from the log is missing. */
  const deliverHeld = async (held: HeldEvent): Promise<void> => {
    const { entries, isTruncated } = await type.feed.read({ side: 'before', position: held.position })
    const [entry] = entries
    if (entry && !isTruncated) await deliverEntry(entry, held)
    else await state.save((before) => ({ ...released(before, held.position), gapId: before.gapId ?? envelopeId('gap') }))
  }
  /** Delivers what comes next. Resolves to why there is nothing at present. */
  const step = async (): Promise<DeliveryPause | undefined> => {
    const { isSuspended, retryAt = 0, from, gapId, held = [] } = state.current
    if (isSuspended) return 'ended'
    if (retryAt > now()) return { waitMs: retryAt - now() }
    const due = held.find((one) => one.retryAt <= now())
    if (due) return void (await deliverHeld(due))
    const { entries, isTruncated } = await type.feed.read(from)
    if (isTruncated) return void (await deliverGap(await startOf(entries, type)))
    if (gapId !== undefined) return void (await deliverGap(from))
    const waitMs = nextRetryAt(state.current) - now()
    if (held.length >= limits.maxHeld) return { waitMs }
    if (entries.length > 0) return void (await deliverEntries(entries))
    leased.position.set(state.stored, from)
    return held.length > 0 ? { waitMs, isIdle: true } : 'idle'
  }

  let hasBegun = false
  return {
    close: async () => void (hasBegun && (await closePosition(leased, state))),
    async run() {
      if (hasBegun) takePosition(leased, state)
      else await state.begin()
      hasBegun = true
      for (;;) {
        const pause = await step()
        if (pause) return pause
      }
    },
  }
}

/** Returns the position before the first of the entries, or the end of the feed. */
function startOf([first]: readonly FeedEntry[], { feed }: LeasedSubscription['type']): FeedPosition | Promise<FeedPosition> {
  return first ? { side: 'before', position: first.position } : feed.end()
}

/** Continues behind the entries that are known to be for others. Returns whether there was such a position. */
function takePosition({ position }: LeasedSubscription, state: StateWriter): boolean {
  const { at } = position
  position.forget()
  if (at) state.skip(at)
  return at !== undefined
}

/** Stores how far this process has come, and goes on to know it. */
async function closePosition(leased: LeasedSubscription, state: StateWriter): Promise<void> {
  const isKnown = takePosition(leased, state)
  await state.flush()
  if (isKnown) leased.position.set(state.stored, state.current.from)
}

/** Reads a subscription while its events are delivered. */
function createRecordReader({ type, readRecord }: LeasedSubscription, { selector, createError }: DeliverOptions) {
  const changed = (feature: 'payloadSchema' | 'inputSchema'): RpcError =>
    createError('Unsupported', `The events ${type.name} have changed`, { feature, reason: 'schema_changed' })
  const parse = async ({ args, auth, principal }: SubscriptionRecord): Promise<EventSubscriber> => {
    const parsed = await selector.parse(type, args).catch((error: unknown) => {
      throw error instanceof RpcError ? changed('inputSchema') : error
    })
    return { arguments: parsed, auth, principal }
  }
  const requireRecord = async (): Promise<SubscriptionRecord> => {
    const record = await readRecord()
    if (!record) throw new StoppedError()
    if (record.version !== type.version) throw changed('payloadSchema')
    return record
  }
  let last: { readonly record: SubscriptionRecord; readonly subscriber: EventSubscriber } | undefined
  return {
    requireRecord,
    async readSubscriber() {
      const record = await requireRecord()
      if (last?.record !== record) last = { record, subscriber: await parse(record) }
      return last.subscriber
    },
  }
}

/** Ends a subscription, and tries to say why. */
export async function terminate(
  { ref, readRecord, signal }: Pick<LeasedSubscription, 'ref' | 'readRecord' | 'signal'>,
  error: RpcError,
  options: WebhookSendOptions & Pick<DeliverOptions, 'subscriptions'>,
): Promise<void> {
  const record = await readRecord()
  // Who gets the message may subscribe again at once.
  await options.subscriptions.remove(ref)
  if (record) await sendToEndpoint(terminatedMessage(error.body()), record, { signal, options }).catch(() => {})
}
