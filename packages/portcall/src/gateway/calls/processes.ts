/**
 * Calls that wait for input in one process of a gateway, and whose next round trip arrives at another one. The whole request is forwarded over
 * the bus to the process in which the call waits; its notifications and its response come back the same way.
 */

import { onAbort } from '../../../../util/src/abort.ts'
import { retryableOnce } from '../../../../util/src/async.ts'
import { randomId } from '../../../../util/src/random.ts'
import { unref } from '../../../../util/src/timers.ts'
import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import type { Auth, Exchange, ExchangeContext } from '../../jsonrpc/exchange.ts'
import type { Notification, Request, Response } from '../../jsonrpc/message.ts'
import type { Bus } from '../../stores/bus.ts'
import type { Stores } from '../../stores/stores.ts'
import { createNodeLease, type NodeLease } from '../../transports/http/server/cluster/node-lease.ts'

/** The processes of a gateway. */
export interface GatewayProcesses {
  /** Returns the name of this process. From then on, other processes can forward requests to it. */
  join(): Promise<string>
  /** Reports whether a name is that of this process. */
  isOwn(name: string): boolean
  /** Forwards a request to another process. @throws RpcError if the process has ended. */
  forward(name: string, request: Request, context: ExchangeContext): Promise<Response>
  close(): Promise<void>
}

export interface GatewayProcessesOptions {
  readonly stores: Omit<Stores, 'close'> | undefined
  /** Answers a request that another process has forwarded. */
  readonly exchange: Exchange
}

type LinkMessage =
  | { readonly type: 'request'; readonly from: string; readonly id: string; readonly request: Request; readonly auth?: Auth }
  | { readonly type: 'cancel'; readonly id: string }
  | { readonly type: 'accepted'; readonly id: string }
  | { readonly type: 'notification'; readonly id: string; readonly notification: Notification }
  | { readonly type: 'response'; readonly id: string; readonly response: Response }

/** A request that was forwarded and is not answered yet. */
interface ForwardedRequest {
  readonly context: ExchangeContext
  isAccepted: boolean
  resolve(response: Response): void
  reject(error: unknown): void
}

const LEASE_TTL_MS = 5000
const CHECK_INTERVAL_MS = 500
const ENDED = new RpcError(
  ErrorCode.invalidParams,
  'Invalid params: the process in which the call waited for input has ended. Call again without requestState',
)

export function createGatewayProcesses({ stores, exchange }: GatewayProcessesOptions): GatewayProcesses {
  return stores ? new LinkedProcesses(stores, exchange) : createSingleProcess()
}

/** Without shared stores, each process is alone. */
function createSingleProcess(): GatewayProcesses {
  const name = randomId(9)
  return {
    join: async () => name,
    isOwn: (other) => other === name,
    forward: () => Promise.reject(ENDED),
    close: async () => {},
  }
}

class LinkedProcesses implements GatewayProcesses {
  readonly #bus: Bus
  readonly #lease: NodeLease
  readonly #exchange: Exchange
  readonly #forwarded = new Map<string, ForwardedRequest>()
  /** The requests of other processes that are being answered, by id. */
  readonly #accepted = new Map<string, AbortController>()
  readonly #starting = retryableOnce(() => this.#start())
  #unsubscribe: (() => void) | undefined

  constructor({ store, bus }: Omit<Stores, 'close'>, exchange: Exchange) {
    this.#bus = bus
    this.#lease = createNodeLease(store, LEASE_TTL_MS)
    this.#exchange = exchange
  }

  async join(): Promise<string> {
    await this.#starting.run()
    return this.#lease.node
  }

  isOwn(name: string): boolean {
    return name === this.#lease.node
  }

  async forward(name: string, request: Request, context: ExchangeContext): Promise<Response> {
    const from = await this.join()
    const id = randomId()
    const { auth } = context
    const message: LinkMessage = { type: 'request', from, id, request, ...(auth && { auth }) }
    const response = new Promise<Response>((resolve, reject) =>
      this.#forwarded.set(id, { context, isAccepted: false, resolve, reject }),
    )
    const unsubscribe = onAbort(context, (reason) => {
      this.#send(name, { type: 'cancel', id })
      this.#forwarded.get(id)?.reject(reason)
    })
    const timer = unref(setInterval(() => void this.#check(name, message), CHECK_INTERVAL_MS))
    this.#send(name, message)
    try {
      return await response
    } finally {
      clearInterval(timer)
      unsubscribe()
      this.#forwarded.delete(id)
    }
  }

  async close(): Promise<void> {
    this.#unsubscribe?.()
    for (const controller of this.#accepted.values()) controller.abort(ENDED)
    await this.#lease.stop().catch(() => {})
  }

  async #start(): Promise<void> {
    // A further attempt must not subscribe twice.
    this.#unsubscribe ??= await this.#bus.subscribe(topicOf(this.#lease.node), (text) =>
      this.#receive(JSON.parse(text) as LinkMessage),
    )
    await this.#lease.start()
  }

  /** Sends a request again until the other process has accepted it, because the bus may lose messages. Fails if the process has ended. */
  async #check(name: string, message: LinkMessage): Promise<void> {
    const forwarded = this.#forwarded.get(message.id)
    const isAlive = await this.#lease.isAlive(name).catch(() => true)
    if (!isAlive) forwarded?.reject(ENDED)
    else if (forwarded && !forwarded.isAccepted) this.#send(name, message)
  }

  #send(name: string, message: LinkMessage): void {
    this.#bus.publish(topicOf(name), JSON.stringify(message)).catch(() => {})
  }

  #receive(message: LinkMessage): void {
    if (message.type === 'request') return void this.#answer(message)
    if (message.type === 'cancel')
      return this.#accepted.get(message.id)?.abort(new DOMException('The caller cancelled the request', 'AbortError'))
    const forwarded = this.#forwarded.get(message.id)
    if (!forwarded) return
    forwarded.isAccepted = true
    if (message.type === 'notification') void forwarded.context.notify(message.notification)
    if (message.type === 'response') forwarded.resolve(message.response)
  }

  async #answer({ from, id, request, auth }: LinkMessage & { type: 'request' }): Promise<void> {
    this.#send(from, { type: 'accepted', id })
    if (this.#accepted.has(id)) return
    const controller = new AbortController()
    this.#accepted.set(id, controller)
    const { signal } = controller
    const notify = (notification: Notification): void => this.#send(from, { type: 'notification', id, notification })
    try {
      const response = await this.#exchange(request, { signal, notify, ...(auth && { auth }) })
      this.#send(from, { type: 'response', id, response })
    } catch {
      this.#send(from, { type: 'response', id, response: ENDED.response(request.id) })
    }
    // A request that is sent again meanwhile must not run again.
    unref(setTimeout(() => this.#accepted.delete(id), 2 * LEASE_TTL_MS))
  }
}

function topicOf(name: string): string {
  return `gateway/${name}`
}
