/** Forwards deliveries to the process whose listener receives them, among several that receive at one URL. */

import { randomId } from '../../../../util/src/random.ts'
import { unref } from '../../../../util/src/timers.ts'
import type { Bus } from '../../stores/bus.ts'
import { type KeptSubscription, keepSubscribed } from '../../stores/keep-subscribed.ts'
import type { DeliverySource } from './types.ts'
import type { WebhookContent } from './webhook-content.ts'

/** A delivery whose signature was checked. */
export interface CheckedDelivery {
  /** Finds the listener. */
  readonly key: string
  readonly content: WebhookContent
  readonly source: DeliverySource
}

/** The outcome of a delivery in a process. `unknown`: nobody takes it there. */
export type DeliveryResult = 'done' | 'unknown' | 'failed'

/** The processes that receive at one URL. */
export interface DeliveryLink {
  /** Resolves to the name of this process. From then on, others can forward deliveries to it. */
  join(): Promise<string>
  /** Reports whether a name is that of this process. */
  isOwn(process: string): boolean
  /** Forwards a delivery. Resolves to `unknown` if the other process does not respond. */
  forward(process: string, delivery: CheckedDelivery): Promise<DeliveryResult>
}

export interface DeliveryLinkOptions {
  readonly bus: Bus
  /** Takes a delivery that another process forwards, which may do so twice. Never rejects. */
  readonly receive: (delivery: CheckedDelivery) => Promise<DeliveryResult>
}

type LinkMessage =
  | { readonly type: 'delivery'; readonly from: string; readonly id: string; readonly delivery: CheckedDelivery }
  | { readonly type: 'accepted'; readonly id: string }
  | { readonly type: 'result'; readonly id: string; readonly result: DeliveryResult }

/** A delivery that was forwarded and has no result yet. */
interface ForwardedDelivery {
  isAccepted: boolean
  settle(result: DeliveryResult): void
}

/** The bus may lose messages, so that a delivery is sent again. A process that responds to none of them has probably ended. */
const SEND_INTERVAL_MS = 500
const MAX_SENDS = 4
/** The sender of the delivery has given up before. */
const RESULT_TIMEOUT_MS = 30_000
const NAME_BYTES = 9

export function createDeliveryLink({ bus, receive }: DeliveryLinkOptions): DeliveryLink {
  const node = randomId(NAME_BYTES)
  const forwarded = new Map<string, ForwardedDelivery>()
  let subscription: KeptSubscription | undefined

  const send = (process: string, message: LinkMessage): void => {
    bus.publish(topicOf(process), JSON.stringify(message)).catch(() => {})
  }
  const onMessage = (message: LinkMessage): void => {
    if (message.type === 'delivery') {
      const { from, id, delivery } = message
      send(from, { type: 'accepted', id })
      return void receive(delivery).then((result) => send(from, { type: 'result', id, result }))
    }
    const delivery = forwarded.get(message.id)
    if (!delivery) return
    delivery.isAccepted = true
    if (message.type === 'result') delivery.settle(message.result)
  }
  const join = async (): Promise<string> => {
    subscription ??= keepSubscribed({
      bus,
      topic: topicOf(node),
      onMessage: (text) => onMessage(JSON.parse(text) as LinkMessage),
    })
    await subscription.firstAttempt
    return node
  }
  return {
    join,
    isOwn: (process) => process === node,
    async forward(process, delivery) {
      const from = await join()
      const id = randomId()
      const message: LinkMessage = { type: 'delivery', from, id, delivery }
      let sends = 1
      let timers: readonly ReturnType<typeof setTimeout>[] = []
      const result = new Promise<DeliveryResult>((settle) => {
        const entry: ForwardedDelivery = { isAccepted: false, settle }
        forwarded.set(id, entry)
        const sendAgain = (): void => {
          if (entry.isAccepted) return
          if (sends++ < MAX_SENDS) send(process, message)
          else settle('unknown')
        }
        timers = [setInterval(sendAgain, SEND_INTERVAL_MS), setTimeout(() => settle('failed'), RESULT_TIMEOUT_MS)].map(unref)
      })
      send(process, message)
      try {
        return await result
      } finally {
        for (const timer of timers) clearInterval(timer)
        forwarded.delete(id)
      }
    },
  }
}

function topicOf(process: string): string {
  return `webhook/${process}`
}
