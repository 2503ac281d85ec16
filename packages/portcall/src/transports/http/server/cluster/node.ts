import type { Request } from '../../../../jsonrpc/message.ts'
import {
  decorateBus,
  decorateLog,
  decorateStore,
  type OperationDecorator,
  timeoutDecorator,
} from '../../../../stores/decorate.ts'
import { UnknownPositionError } from '../../../../stores/log.ts'
import { createNodeLease, type NodeLease } from '../../../../stores/nodes/node-lease.ts'
import { createNodeRpc, type NodeRpc } from '../../../../stores/nodes/node-rpc.ts'
import type { Stores } from '../../../../stores/stores.ts'
import type { HttpEndpoint } from '../endpoint.ts'
import { HttpError, httpError } from '../http-error.ts'
import { ROOT } from './records.ts'

/** Stores without their `close`: the endpoint does not own them. */
export type SharedStores = Omit<Stores, 'close'>

export interface ClusterOptions {
  readonly stores: SharedStores
  /** Reports whether a request may be run again after the process that ran it has failed. */
  readonly isIdempotent: (request: Request) => boolean
}

/** One process among those that share sessions: its access to the stores and to the other nodes. */
export class ClusterNode {
  readonly endpoint: HttpEndpoint
  readonly isIdempotent: ClusterOptions['isIdempotent']
  /** The stores with a timeout for each operation. Failures are `HttpError` 503. */
  readonly stores: SharedStores
  readonly lease: NodeLease
  readonly rpc: NodeRpc
  #isStarted = false
  #lastId = 0
  #lastStream = 0

  constructor(endpoint: HttpEndpoint, { stores, isIdempotent }: ClusterOptions) {
    const { nodeLeaseTtlMs } = endpoint.limits
    this.endpoint = endpoint
    this.isIdempotent = isIdempotent
    this.stores = decorateStores(stores, endpoint)
    const { store, bus } = this.stores
    this.lease = createNodeLease({ store, prefix: ROOT, leaseTtlMs: nodeLeaseTtlMs })
    this.rpc = createNodeRpc({
      bus,
      node: this.lease.node,
      prefix: ROOT,
      lease: this.lease,
      timeoutMs: 2 * nodeLeaseTtlMs,
      createTimeoutError: () => httpError(503, 'Another process does not respond: try again later', { 'retry-after': '1' }),
      onError: (error) => void (error instanceof HttpError || endpoint.onError(error)),
    })
  }

  /** Joins the cluster. Returns undefined if the node has joined already. @throws HttpError 503. */
  start(): Promise<void> | undefined {
    if (this.#isStarted) return undefined
    return Promise.all([this.rpc.start(), this.lease.start()]).then(() => void (this.#isStarted = true))
  }

  /** Leaves the cluster. */
  async stop(): Promise<void> {
    await this.lease.stop().catch(this.endpoint.onError)
    this.rpc.stop()
  }

  /** Returns an id for a request to a client. It names this node, which waits for the response. */
  nextRequestId(): string {
    return `${this.lease.node}:${++this.#lastId}`
  }

  /** Returns a stream name that is unique within its session, whichever nodes serve the session. */
  nextStreamName(): string {
    return `${this.lease.node}-${(++this.#lastStream).toString(36)}`
  }
}

/** Returns the node that waits for the response to a request to a client, or undefined if no node has sent such a request. */
export function nodeOfRequestId(id: unknown): string | undefined {
  return /^([\w-]+):\d+$/.exec(String(id))?.[1]
}

/** Limits each operation to `storeTimeoutMs` and converts all errors to 503. Reports the first failure after a success. */
function decorateStores({ store, log, bus }: SharedStores, { limits, onError }: HttpEndpoint): SharedStores {
  const withTimeout = timeoutDecorator(limits.storeTimeoutMs)
  let isFailing = false
  const decorator: OperationDecorator = async (run, operation) => {
    try {
      const value = await withTimeout(run, operation)
      isFailing = false
      return value
    } catch (error) {
      if (error instanceof UnknownPositionError) throw error
      if (!isFailing) onError(error)
      isFailing = true
      throw unavailable()
    }
  }
  return { store: decorateStore(store, decorator), log: decorateLog(log, decorator), bus: decorateBus(bus, decorator) }
}

function unavailable(): HttpError {
  return httpError(503, 'The session store is unavailable: try again later', { 'retry-after': '1' })
}
