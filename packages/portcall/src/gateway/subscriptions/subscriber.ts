import { isObject, type JsonObject, type Notification } from '../../jsonrpc/message.ts'
import { MetaKey } from '../../protocol/meta.ts'
import type { ListChange } from '../../protocol/methods.ts'
import type { Caller } from '../caller.ts'
import type { CallerRequest } from '../calls/forward-call.ts'
import type { Filter } from './filters.ts'

/** An open `subscriptions/listen` request of a caller. */
export class GatewaySubscriber {
  /** The lists whose changes are reported. */
  readonly lists: Set<ListChange> = new Set()
  readonly #call: CallerRequest
  readonly #resolve: (result: JsonObject) => void
  readonly #cleanups = new Map<string, () => void>()
  /** Notifications that wait until the caller has read earlier ones; a later one about the same subject replaces an earlier one. */
  readonly #queue = new Map<string, Notification>()
  #state: 'opening' | 'open' | 'blocked' | 'ended' = 'opening'

  constructor(call: CallerRequest, resolve: (result: JsonObject) => void) {
    this.#call = call
    this.#resolve = resolve
  }

  get caller(): Caller {
    return this.#call.caller
  }

  /** Sends the acknowledgement, then what has changed meanwhile. */
  acknowledge(filter: Filter): void {
    if (this.#state === 'ended') return
    this.#state = 'open'
    this.#deliver({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { notifications: filter } })
    this.#flush()
  }

  /** Sends a notification about a subject. */
  send(subject: string, message: Notification): void {
    if (this.#state === 'ended') return
    if (this.#state === 'open') this.#deliver(message)
    else this.#queue.set(subject, message)
  }

  /** Registers what to do when the subscription of a server ends. */
  addCleanup(upstreamId: string, cleanup: () => void): void {
    if (this.#state === 'ended') cleanup()
    else this.#cleanups.set(upstreamId, cleanup)
  }

  isAttached(upstreamId: string): boolean {
    return this.#cleanups.has(upstreamId)
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
    this.#resolve({ resultType: 'complete', _meta: { [MetaKey.subscriptionId]: this.#call.request.id } })
  }

  #deliver({ method, params = {} }: Notification): void {
    const meta = isObject(params._meta) ? params._meta : undefined
    const _meta = { ...meta, [MetaKey.subscriptionId]: this.#call.request.id }
    const drained = this.#call.context.notify({ jsonrpc: '2.0', method, params: { ...params, _meta } })
    if (!drained || this.#state !== 'open') return
    this.#state = 'blocked'
    const resume = (): void => {
      if (this.#state !== 'blocked') return
      this.#state = 'open'
      this.#flush()
    }
    drained.then(resume, resume)
  }

  #flush(): void {
    for (const [subject, message] of this.#queue) {
      if (this.#state !== 'open') return
      this.#queue.delete(subject)
      this.#deliver(message)
    }
  }
}
