/** Forwards deliveries to the process whose listener receives them, among several that receive at one URL. */

import type { JsonObject } from '../../jsonrpc/message.ts'
import type { Bus } from '../../stores/bus.ts'
import { createNodeName } from '../../stores/nodes/node-lease.ts'
import { createNodeRpc } from '../../stores/nodes/node-rpc.ts'
import type { DeliverySource } from './types.ts'
import type { WebhookContent } from './webhook-content.ts'

/** A delivery whose signature was checked. */
export interface CheckedDelivery {
  /** Finds the listener. */
  readonly key: string
  /** Tells its messages from those of others. */
  readonly scope: string
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
  /** Forwards a delivery. Resolves to `unknown` if the other process has ended. @throws Error if it does not respond. */
  forward(process: string, delivery: CheckedDelivery): Promise<DeliveryResult>
}

export interface DeliveryLinkOptions {
  readonly bus: Bus
  /** Takes a delivery that another process forwards. Never rejects. */
  readonly receive: (delivery: CheckedDelivery) => Promise<DeliveryResult>
}

/** The sender of the delivery has given up before. */
const RESULT_TIMEOUT_MS = 30_000
const DELIVER = 'deliver'

export function createDeliveryLink({ bus, receive }: DeliveryLinkOptions): DeliveryLink {
  const node = createNodeName()
  const rpc = createNodeRpc({
    bus,
    node,
    prefix: 'webhook',
    timeoutMs: RESULT_TIMEOUT_MS,
    createTimeoutError: () => new Error('The process that subscribed does not respond'),
    onError: () => {},
  })
  rpc.setHandlers({ [DELIVER]: async (params) => ({ result: await receive(params as JsonObject & CheckedDelivery) }) })
  return {
    join: () => rpc.start().then(() => node),
    isOwn: (process) => process === node,
    async forward(process, delivery) {
      await rpc.start()
      const answer = await rpc.request(process, DELIVER, { ...delivery } as JsonObject)
      return answer ? (answer.result as DeliveryResult) : 'unknown'
    },
  }
}
