import { backoffMs } from '../../../../../util/src/backoff.ts'
import { raceAbort } from '../../../../../util/src/timers.ts'
import type { Turns } from '../../../../../util/src/turns.ts'
import { RpcError } from '../../../jsonrpc/errors.ts'
import type { DeliveryFailure, DeliveryOutcome } from '../../delivery/outcome.ts'
import type { EventSender } from '../../delivery/sender.ts'
import type { FeedPosition } from '../cursor.ts'
import type { EventSubscriber } from '../definition.ts'
import type { CreateEventError } from '../errors.ts'
import type { FeedEntry } from '../feed.ts'
import type { EventsProfile } from '../profile.ts'
import type { EventReader, ReadItem } from '../reader.ts'
import type { Selector } from '../selection.ts'
import type { LeasedSubscription } from './leased-subscription.ts'
import type { WebhookLimits } from './limits.ts'
import { envelopeId, eventMessage, gapMessage, type OutgoingMessage, terminatedMessage } from './messages.ts'
import { delivered, failed, passed, type SubscriptionRecord, secretsOf } from './record.ts'
import { createStateWriter, type StateWriter, StoppedError } from './state-writer.ts'
import type { SubscriptionStore } from './subscription-store.ts'

export interface DeliverOptions {
  readonly subscriptions: SubscriptionStore
  readonly sender: Pick<EventSender, 'deliver'>
  readonly reader: EventReader
  readonly selector: Pick<Selector, 'parse'>
  readonly createError: CreateEventError
  readonly limits: WebhookLimits
  readonly profile: Pick<EventsProfile, 'webhookId'>
  /** Limits the deliveries of this process; the owner is the host. */
  readonly turns: Turns
  readonly onError: (error: unknown) => void
  readonly onWarning: (message: string) => void
  readonly now: () => number
}

/**
 * Why no more is delivered for now. `idle`: everything is delivered. `ended`: the subscription is gone, suspended, or delivered by another
 * process. Otherwise the next attempt is later.
 */
export type DeliveryPause = 'idle' | 'ended' | { readonly waitMs: number }

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
  const { reader, onWarning, now } = options
  const { requireRecord, readSubscriber } = createRecordReader(leased, options)
  const state = createStateWriter({ leased, subscriptions: options.subscriptions, requireRecord })
  const mayContinue = (): boolean => state.current.attempts === undefined && !state.current.isSuspended

  /** Records a failed attempt. The message is given up after the last one. */
  const fail = async (reason: DeliveryFailure, from: FeedPosition, retryAfterMs = 0): Promise<boolean> => {
    const { maxAttempts, retryDelayMs: firstMs, maxRetryDelayMs: maxMs, suspendAfterMs } = options.limits
    const delayMs = Math.max(retryAfterMs, backoffMs(state.current.attempts ?? 0, { firstMs, maxMs, jitter: 0.25 }))
    let end: string | undefined
    const isSaved = await state.save((before) => {
      const after = failed(before, reason, { retryAt: now() + delayMs, now: now() })
      const isSuspended = now() - (after.failedSince ?? 0) >= suspendAfterMs
      const isGivenUp = !isSuspended && (after.attempts ?? 0) >= maxAttempts
      end = isSuspended
        ? 'Deliveries are suspended'
        : isGivenUp
          ? `An event was given up after ${maxAttempts} attempts`
          : undefined
      if (isSuspended) return { ...after, isSuspended }
      return isGivenUp ? passed(after, from) : after
    })
    if (end !== undefined)
      onWarning(`${end}: the endpoint of subscription ${(await requireRecord()).id} to ${type.name} fails with ${reason}`)
    return isSaved
  }
  const record = (outcome: DeliveryOutcome, from: FeedPosition): Promise<boolean> => {
    if (outcome.type === 'delivered') return state.save((before) => delivered(before, from, now()))
    if (outcome.type === 'retry') return fail(outcome.reason, from, outcome.retryAfterMs)
    if (outcome.type !== 'refused') return state.save((before) => passed(before, from))
    onWarning(`The endpoint of a subscription was refused: ${outcome.problem}`)
    return fail('connection_refused', from)
  }
  /** Delivers a message. Resolves to whether the next one may follow. */
  const attempt = async (message: OutgoingMessage, from: FeedPosition): Promise<boolean> => {
    const outcome = await send(message, await requireRecord(), { signal, options })
    return (await record(outcome, from)) && mayContinue()
  }
  /** Says that events are missing, and continues with those that remain. */
  const deliverGap = async (first: FeedEntry | undefined): Promise<boolean> => {
    const from: FeedPosition = first ? { side: 'before', position: first.position } : await type.feed.end()
    const gapId = state.current.gapId ?? envelopeId('gap')
    if (state.current.gapId === undefined) await state.save((before) => ({ ...before, gapId }))
    return attempt(gapMessage(gapId, reader.cursorOf(type, from)), from)
  }
  const deliverEntry = async (entry: FeedEntry): Promise<boolean> => {
    let item: ReadItem
    try {
      item = await raceAbort(reader.render({ type, subscriber: await readSubscriber() }, entry), signal)
    } catch (error) {
      if (error instanceof RpcError || error instanceof StoppedError || signal.aborted) throw error
      options.onError(error)
      return (await fail('http_5xx', { side: 'after', position: entry.position })) && mayContinue()
    }
    const { occurrence, from } = item
    if (!occurrence) {
      state.skip(from)
      return true
    }
    const { id } = await requireRecord()
    return attempt(await eventMessage(id, { ...occurrence, cursor: reader.cursorOf(type, from) }, options.profile), from)
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

  let hasBegun = false
  return {
    close: async () => void (hasBegun && (await closePosition(leased, state))),
    async run() {
      if (hasBegun) takePosition(leased, state)
      else await state.begin()
      hasBegun = true
      for (;;) {
        const { isSuspended, retryAt = 0, from, gapId } = state.current
        if (isSuspended) return 'ended'
        if (retryAt > now()) return { waitMs: retryAt - now() }
        const { entries, isTruncated } = await type.feed.read(from)
        if (isTruncated || gapId !== undefined) await deliverGap(entries[0])
        else if (entries.length === 0) {
          leased.position.set(state.stored, from)
          return 'idle'
        } else await deliverEntries(entries)
      }
    },
  }
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

interface SendOptions {
  readonly signal: AbortSignal
  readonly options: Pick<DeliverOptions, 'sender' | 'turns' | 'now'>
}

/** Sends a message when it is the turn of the host. */
async function send(
  message: OutgoingMessage,
  record: SubscriptionRecord,
  { signal, options }: SendOptions,
): Promise<DeliveryOutcome> {
  const { sender, turns, now } = options
  const { host } = new URL(record.url)
  if ((await turns.begin({ signal }, host)) !== true) throw new StoppedError()
  try {
    const secrets = secretsOf(record, now())
    return await sender.deliver({ ...message, url: record.url, subscriptionId: record.id, secrets, signal })
  } finally {
    turns.end(host)
  }
}

/** Ends a subscription, and tries to say why. */
export async function terminate(
  { ref, readRecord, signal }: Pick<LeasedSubscription, 'ref' | 'readRecord' | 'signal'>,
  error: RpcError,
  options: Pick<DeliverOptions, 'sender' | 'turns' | 'now' | 'subscriptions'>,
): Promise<void> {
  const record = await readRecord()
  // Who gets the message may subscribe again at once.
  await options.subscriptions.remove(ref)
  if (record) await send(terminatedMessage(error.body()), record, { signal, options }).catch(() => {})
}
