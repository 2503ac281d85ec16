import { createPoller } from '../../../../../util/src/poller.ts'
import { unref } from '../../../../../util/src/timers.ts'
import { createTurns } from '../../../../../util/src/turns.ts'
import type { RpcError } from '../../../jsonrpc/errors.ts'
import type { Bus } from '../../../stores/bus.ts'
import { type KeptSubscription, keepSubscribed } from '../../../stores/keep-subscribed.ts'
import type { KeyValueStore } from '../../../stores/store.ts'
import type { EventTypeEntry } from '../event-types.ts'
import { type DeliverOptions, type DeliveryPause, openDelivery, terminate } from './deliver.ts'
import { createKnownPosition } from './known-position.ts'
import { isWoken, type KnownSubscription, readKnown, type WithLeaseOptions, withLease } from './known-subscription.ts'
import type { LeasedSubscription } from './leased-subscription.ts'
import { type DeliveryState, nextRetryAt, type SubscriptionRecord } from './record.ts'
import { createScan } from './scan.ts'
import type { SubscriptionRef } from './subscription-store.ts'

export interface DeliveryWorkerOptions extends Omit<DeliverOptions, 'turns' | 'principalTurns'> {
  readonly store: KeyValueStore
  readonly bus: Bus
  /** Returns an event type that this process knows. */
  readonly typeOf: (name: string) => EventTypeEntry | undefined
  /** Returns why an event type of this process was removed. */
  readonly removalOf: (name: string) => RpcError | undefined
}

/** Delivers the events of subscriptions. A lease makes sure that one process at a time delivers those of a subscription. */
export interface DeliveryWorker {
  /** Looks for subscriptions, and goes on to do so. Does nothing if it was started or stopped before. */
  start(): void
  /** Looks whether there is something to deliver to the subscriptions of an event type, or whether it was removed. */
  wake(name: string): void
  /** Tells all processes that a subscription is new or has changed. */
  announce(ref: SubscriptionRef): Promise<void>
  /** Stops. What is being delivered is aborted, and delivered again by another process or after a restart. */
  stop(): Promise<void>
}

const TOPIC = 'events-subscriptions'
const PAGE_SIZE = 500
const MAX_CHECKS = 32
const QUEUE_TIMEOUT_MS = 60_000

export function createDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const { subscriptions, bus, limits, onError } = options
  const known = new Map<SubscriptionRef, KnownSubscription>()
  const stopping = new AbortController()
  let subscription: KeptSubscription | undefined

  /** Looks at a subscription after a while, and leaves it alone until then, unless new events may be delivered before. */
  const wakeIn: DeliverContext['wakeIn'] = (one, { waitMs, isIdle }) => {
    const delayMs = Math.min(waitMs, limits.sweepIntervalMs)
    if (!isIdle) one.notBefore = performance.now() + delayMs
    clearTimeout(one.timer)
    const wake = (): void => {
      delete one.notBefore
      process(one)
    }
    one.timer = unref(setTimeout(wake, delayMs))
  }
  const deliver = createDeliver(options, { stopping: stopping.signal, wakeIn, forget: ({ ref }) => void known.delete(ref) })
  /** Delivers what there is. Errors are reported; another process, or a later sweep, tries again. */
  const process = (one: KnownSubscription): void => {
    one.mustRepeat = true
    one.onWake?.()
    if (one.running || stopping.signal.aborted || performance.now() < (one.notBefore ?? 0)) return
    one.mustRepeat = false
    one.running = deliver(one)
      .catch((error) => {
        one.position.forget()
        if (!stopping.signal.aborted) onError(error)
      })
      .finally(() => {
        delete one.running
        if (one.mustRepeat && known.has(one.ref)) process(one)
      })
  }
  const learn = (ref: SubscriptionRef): KnownSubscription => {
    const one = known.get(ref) ?? { ref, position: createKnownPosition() }
    known.set(ref, one)
    return one
  }
  const sweep = async (): Promise<void> => {
    let after: SubscriptionRef | undefined
    do {
      const refs = await subscriptions.list(after, PAGE_SIZE)
      for (const ref of refs) {
        const one = learn(ref)
        // The others wait for an event that is for them.
        if (!one.position.at) process(one)
      }
      after = refs.length === PAGE_SIZE ? refs.at(-1) : undefined
    } while (after !== undefined && !stopping.signal.aborted)
  }
  const poller = createPoller({ intervalMs: limits.sweepIntervalMs, poll: sweep, onError })
  const onAnnouncement = (ref: string): void => {
    const one = learn(ref as SubscriptionRef)
    delete one.cached
    delete one.notBefore
    one.position.forget()
    process(one)
  }
  const scan = createScan({ ...options, known, process, stopping: stopping.signal })

  return {
    start() {
      if (subscription || stopping.signal.aborted) return
      subscription = keepSubscribed({ bus, topic: TOPIC, onMessage: onAnnouncement, onLate: poller.pollNow, onError })
      poller.pollNow()
    },
    wake(name) {
      const type = options.typeOf(name)
      if (type) scan(type)
      else for (const one of known.values()) if (one.name === name || one.name === undefined) process(one)
    },
    announce: (ref) => bus.publish(TOPIC, ref).catch(onError),
    async stop() {
      stopping.abort(new Error('The worker is stopping'))
      subscription?.end()
      await poller.close()
      await Promise.all([...known.values()].map(({ running }) => running))
    },
  }
}

interface DeliverContext {
  readonly stopping: AbortSignal
  wakeIn(one: KnownSubscription, pause: Exclude<DeliveryPause, string>): void
  forget(one: KnownSubscription): void
}

/** Something to do for a subscription: to deliver the events of a type, or to end it. */
type Work = { readonly type: EventTypeEntry } | { readonly error: RpcError }

interface CheckedSubscription {
  readonly record: SubscriptionRecord
  readonly state: DeliveryState
  readonly type: EventTypeEntry
}

/** Reports whether a message has to be sent, whether there are new events or not. */
function isDue(state: DeliveryState, now: number): boolean {
  return state.gapId !== undefined || nextRetryAt(state) <= now
}

/** Creates the function that delivers what there is for a subscription. */
function createDeliver(options: DeliveryWorkerOptions, { stopping, wakeIn, forget }: DeliverContext) {
  const { subscriptions, store, reader, typeOf, removalOf, limits, now } = options
  const { maxConcurrent, maxHostConcurrent, maxPrincipalConcurrent, leaseTtlMs } = limits
  const queue = { maxQueued: Infinity, queueTimeoutMs: QUEUE_TIMEOUT_MS }
  const turns = createTurns({ limit: maxConcurrent, maxOwned: maxHostConcurrent, ...queue })
  const principalTurns = createTurns({ limit: Infinity, maxOwned: maxPrincipalConcurrent, ...queue })
  const checks = createTurns({ limit: MAX_CHECKS, maxQueued: Infinity })
  const urgentChecks = createTurns({ limit: MAX_CHECKS, maxQueued: Infinity })
  const deliverOptions: DeliverOptions = { ...options, turns, principalTurns }
  const leaseOptions: WithLeaseOptions = { store, leaseTtlMs, subscriptions, stopping }

  const findWork = async (one: KnownSubscription): Promise<Work | undefined> => {
    const record = await readKnown(one, subscriptions)
    if (!record) {
      forget(one)
      return undefined
    }
    const type = typeOf(record.name)
    // A type that this process does not have may belong to another version of the program, in another process.
    const error = type ? undefined : removalOf(record.name)
    if (!type) return error && { error }
    const state = await subscriptions.readState(one.ref)
    const waitMs = (state?.retryAt ?? 0) - now()
    if (state?.isSuspended) one.notBefore = performance.now() + limits.sweepIntervalMs
    else if (waitMs > 0) wakeIn(one, { waitMs })
    else if (!state || isDue(state, now()) || type.version !== record.version) return { type }
    else if (await hasEntries(one, { record, state, type })) return { type }
    else if (state.held) wakeIn(one, { waitMs: nextRetryAt(state) - now(), isIdle: true })
    return undefined
  }
  /** Reports whether there may be something to deliver. Remembers the position behind entries that are for others. */
  const hasEntries = async (one: KnownSubscription, { record, state, type }: CheckedSubscription): Promise<boolean> => {
    const reads = await readsOf(one, record, type)
    const from = one.position.atIf(state) ?? state.from
    const { entries, isTruncated } = await type.feed.read(from)
    if (isTruncated || (entries.length > 0 && !reads)) return true
    const at = reads ? entries.findIndex((entry) => reader.mayReceive(reads, entry)) : -1
    const passed = at === -1 ? entries.length : at
    const last = entries[passed - 1]
    one.position.set(state, from)
    if (last) one.position.move(last, passed)
    return at !== -1
  }
  /** Returns who receives the events; nothing if the arguments are not valid any more, which ends the subscription. */
  const readsOf = async (one: KnownSubscription, record: SubscriptionRecord, type: EventTypeEntry) => {
    if (one.reads?.record === record && one.reads.type === type) return one.reads
    const { args, auth, principal } = record
    const parsed = await options.selector.parse(type, args).catch(() => undefined)
    one.reads = parsed === undefined ? undefined : { record, type, subscriber: { arguments: parsed, auth, principal } }
    return one.reads
  }
  const check = async (one: KnownSubscription): Promise<Work | undefined> => {
    const queue = one.isUrgent ? urgentChecks : checks
    if ((await queue.begin({ signal: stopping })) !== true) return undefined
    try {
      // What has arrived until now is seen.
      one.mustRepeat = false
      one.isUrgent = false
      return await findWork(one)
    } finally {
      queue.end()
    }
  }
  const deliverType = async (one: KnownSubscription, leased: LeasedSubscription): Promise<void> => {
    const { type, signal } = leased
    const delivery = openDelivery(leased, deliverOptions)
    let pause: DeliveryPause
    do {
      one.mustRepeat = false
      pause = await delivery.run()
    } while (pause === 'idle' && (await isWoken(one, signal)) && typeOf(type.name)?.feed === type.feed)
    await delivery.close()
    if (typeof pause === 'object') wakeIn(one, pause)
  }
  return async (one: KnownSubscription): Promise<void> => {
    const work = await check(one)
    if (!work) return
    const isHeld = await withLease(one, leaseOptions, async (leased) => {
      // What was read before the lease may have been changed by the process that held it.
      delete one.cached
      if ('error' in work) await terminate(leased, work.error, deliverOptions)
      else await deliverType(one, { ...leased, type: work.type })
      delete one.cached
    })
    if (isHeld) return
    // The process that holds it may fail.
    one.position.forget()
    wakeIn(one, { waitMs: leaseTtlMs / 2 })
  }
}
