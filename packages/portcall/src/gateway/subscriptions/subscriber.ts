import { createMutex, type Mutex } from '../../../../util/src/async.ts'
import { isObject, type JsonObject, type Notification } from '../../jsonrpc/message.ts'
import { MetaKey } from '../../protocol/meta.ts'
import type { CallerRequest } from '../calls/item-call.ts'
import type { GatewayListChange } from '../policy/item-kinds.ts'
import { type CoalescedChanges, coalesceChanges } from './coalesce-changes.ts'
import type { Filter } from './filters.ts'
import type { SubjectNotification } from './subject-notification.ts'

/** Maximum number of notifications queued for a slow caller. */
const MAX_QUEUED = 2048

/** An open `subscriptions/listen` request of a caller. */
export class GatewaySubscriber {
  /** The lists whose changes are reported. */
  readonly lists: Set<GatewayListChange> = new Set()
  /** The request. */
  readonly call: CallerRequest
  /** Runs changes of the subscriptions to servers one after another. */
  readonly changes: Mutex = createMutex()
  /** The servers or the policies have changed, and the subscriptions will be adapted. */
  isOutdated = false
  readonly #resolve: (result: JsonObject) => void
  readonly #cleanups = new Map<string, () => void>()
  /** Notifications that wait until the caller has read earlier ones; a later one about the same subject replaces an earlier one. */
  readonly #queue = new Map<string, SubjectNotification>()
  readonly #changes: CoalescedChanges = coalesceChanges((change) => this.send(change))
  #state: 'opening' | 'open' | 'blocked' | 'ended' = 'opening'

  constructor(call: CallerRequest, resolve: (result: JsonObject) => void) {
    this.call = call
    this.#resolve = resolve
  }

  /** Sends the acknowledgment, then the queued notifications. */
  acknowledge(filter: Filter): void {
    if (this.#state === 'ended') return
    this.#state = 'open'
    this.#deliver({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { notifications: filter } })
    this.#flush()
  }

  /** Sends that a list has changed, if the caller wants to know. Changes in quick succession are a few. */
  sendChange(list: GatewayListChange, message: Notification): void {
    if (this.#state !== 'ended' && this.lists.has(list)) this.#changes.add({ subject: message.method, message })
  }

  send(notification: SubjectNotification): void {
    if (this.#state === 'ended') return
    if (this.#state === 'open') return this.#deliver(notification.message)
    this.#queue.set(notification.subject, notification)
    if (this.#queue.size > MAX_QUEUED) this.#mergeQueue()
  }

  /** Registers what to do when the subscription of a server ends. One that it replaces ends now. */
  addCleanup(upstreamId: string, cleanup: () => void): void {
    if (this.#state === 'ended') return cleanup()
    const previous = this.#cleanups.get(upstreamId)
    this.#cleanups.set(upstreamId, cleanup)
    previous?.()
  }

  /** Ends the subscriptions of all other servers. */
  keepOnly(upstreamIds: ReadonlySet<string>): void {
    for (const [id, cleanup] of this.#cleanups)
      if (!upstreamIds.has(id)) {
        this.#cleanups.delete(id)
        cleanup()
      }
  }

  end(): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    for (const cleanup of this.#cleanups.values()) cleanup()
    this.#cleanups.clear()
    this.#queue.clear()
    this.#changes.close()
    this.#resolve({ resultType: 'complete', _meta: { [MetaKey.subscriptionId]: this.call.request.id } })
  }

  #deliver({ method, params = {} }: Notification): void {
    const meta = isObject(params._meta) ? params._meta : undefined
    const _meta = { ...meta, [MetaKey.subscriptionId]: this.call.request.id }
    const drained = this.call.context.notify({ jsonrpc: '2.0', method, params: { ...params, _meta } })
    if (!drained || this.#state !== 'open') return
    this.#state = 'blocked'
    const resume = (): void => {
      if (this.#state !== 'blocked') return
      this.#state = 'open'
      this.#flush()
    }
    drained.then(resume, resume)
  }

  /** Replaces the queued notifications about single resources by one about each collection. */
  #mergeQueue(): void {
    const queued = [...this.#queue.values()]
    this.#queue.clear()
    for (const { collection, ...one } of queued) {
      const merged = collection ?? one
      this.#queue.set(merged.subject, merged)
    }
  }

  #flush(): void {
    for (const [subject, { message }] of this.#queue) {
      if (this.#state !== 'open') return
      this.#queue.delete(subject)
      this.#deliver(message)
    }
  }
}
