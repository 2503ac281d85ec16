/**
 * Calls that wait for input in one process of a gateway, and whose next round trip arrives at another one. The whole request is forwarded to the
 * process in which the call waits; its notifications and its response come back the same way.
 */

import { onAbort } from '../../../../util/src/abort.ts'
import { randomId } from '../../../../util/src/random.ts'
import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import type { Auth, Exchange, ExchangeContext } from '../../jsonrpc/exchange.ts'
import type { JsonObject, Notification, Request, Response } from '../../jsonrpc/message.ts'
import { createNodeLease, createNodeName } from '../../stores/nodes/node-lease.ts'
import { createNodeRpc } from '../../stores/nodes/node-rpc.ts'
import type { Stores } from '../../stores/stores.ts'

/** The processes of a gateway. */
export interface GatewayProcesses {
  /** Returns the name of this process. From then on, other processes can forward requests to it. */
  join(): Promise<string>
  /** Reports whether a name is that of this process. */
  isOwn(name: string): boolean
  /** Reports whether a process is alive. @throws whatever the store throws. */
  isAlive(name: string): Promise<boolean>
  /** Forwards a request to another process. @throws RpcError if the process has ended. */
  forward(name: string, request: Request, context: ExchangeContext): Promise<Response>
  close(): Promise<void>
}

export interface GatewayProcessesOptions {
  readonly stores: Omit<Stores, 'close'> | undefined
  /** Answers a request that another process has forwarded. */
  readonly exchange: Exchange
}

/** A request that is forwarded, with what its process has to know of the context. */
interface ForwardedRequest {
  readonly id: string
  readonly from: string
  readonly request: Request
  readonly auth?: Auth
}

const PREFIX = 'gateway'
const LEASE_TTL_MS = 5000
const ENDED = new RpcError(
  ErrorCode.invalidParams,
  'Invalid params: the process in which the call waited for input has ended. Call again without requestState',
)

export function createGatewayProcesses({ stores, exchange }: GatewayProcessesOptions): GatewayProcesses {
  return stores ? createLinkedProcesses(stores, exchange) : createSingleProcess()
}

/** Without shared stores, each process is alone. */
function createSingleProcess(): GatewayProcesses {
  const name = createNodeName()
  return {
    join: async () => name,
    isOwn: (other) => other === name,
    isAlive: async (other) => other === name,
    forward: () => Promise.reject(ENDED),
    close: async () => {},
  }
}

function createLinkedProcesses({ store, bus }: Omit<Stores, 'close'>, exchange: Exchange): GatewayProcesses {
  const lease = createNodeLease({ store, prefix: PREFIX, leaseTtlMs: LEASE_TTL_MS })
  const { node } = lease
  // A call takes as long as it takes.
  const rpc = createNodeRpc({
    bus,
    node,
    prefix: PREFIX,
    lease: { isAlive: (name) => lease.isAlive(name).catch(() => true) },
    timeoutMs: Number.POSITIVE_INFINITY,
    createTimeoutError: () => ENDED,
    onError: () => {},
  })
  /** The requests that this process has forwarded, and those of others that it answers, by id. */
  const forwarded = new Map<string, ExchangeContext>()
  const answering = new Map<string, AbortController>()

  const answer = async ({ id, from, request, auth }: ForwardedRequest): Promise<{ response: Response }> => {
    const controller = new AbortController()
    answering.set(id, controller)
    const { signal } = controller
    const notify = (notification: Notification): void => rpc.notify(from, 'notification', { id, notification })
    try {
      return { response: await exchange(request, { signal, notify, ...(auth && { auth }) }) }
    } catch {
      return { response: ENDED.response(request.id) }
    } finally {
      answering.delete(id)
    }
  }
  rpc.setHandlers({
    request: (params) => answer(params as JsonObject & ForwardedRequest),
    cancel: ({ id }) => answering.get(String(id))?.abort(new DOMException('The caller cancelled the request', 'AbortError')),
    notification: ({ id, notification }) => forwarded.get(String(id))?.notify(notification as JsonObject & Notification),
  })
  const join = async (): Promise<string> => {
    await Promise.all([rpc.start(), lease.start()])
    return node
  }
  return {
    join,
    isOwn: (name) => name === node,
    isAlive: lease.isAlive,
    async forward(name, request, context) {
      await join()
      const id = randomId()
      const { auth } = context
      const message: ForwardedRequest = { id, from: node, request, ...(auth && { auth }) }
      forwarded.set(id, context)
      let unsubscribe = (): void => {}
      const aborted = new Promise<never>((_, reject) => {
        unsubscribe = onAbort(context, (reason) => {
          rpc.notify(name, 'cancel', { id })
          reject(reason)
        })
      })
      try {
        const result = await Promise.race([rpc.request(name, 'request', { ...message } as JsonObject), aborted])
        if (!result?.response) throw ENDED
        return result.response as Response & JsonObject
      } finally {
        unsubscribe()
        forwarded.delete(id)
      }
    },
    async close() {
      for (const controller of answering.values()) controller.abort(ENDED)
      rpc.stop()
      await lease.stop().catch(() => {})
    },
  }
}
