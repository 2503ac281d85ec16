/**
 * A simulated cluster of nodes that serve the same sessions. Each operation of a store, log or bus waits at a gate before it runs and before it
 * returns, each message of the bus and each request of a client before it arrives, and each tool between two steps. The simulation decides which
 * operation continues, when time passes, and when a node crashes or is partitioned.
 */
import { LinkedSet } from '../../../util/src/linked-set.ts'
import { methodOf } from '../../src/protocol/methods.ts'
import { createMemoryLog } from '../../src/stores/memory/log.ts'
import { createMemoryStore } from '../../src/stores/memory/store.ts'
import type { KeyValueStore } from '../../src/stores/store.ts'
import { createClusterHandler } from '../../src/transports/http/server/cluster/cluster-backend.ts'
import type { HttpEndpoint } from '../../src/transports/http/server/endpoint.ts'
import { sendError, toHttpError } from '../../src/transports/http/server/http-error.ts'
import { HTTP_LIMITS, type HttpLimits } from '../../src/transports/http/server/limits.ts'
import { createOpenStreams } from '../../src/transports/http/server/open-streams.ts'
import { createLocalBackend } from '../../src/transports/http/server/sessions/local-backend.ts'
import { createSessionHandler } from '../../src/transports/http/server/sessions/session-handler.ts'
import type { HttpContext, LegacyHandler } from '../../src/transports/http/server/types.ts'
import { createSimCore, type SimCore } from './core.ts'
import { createBackends, createGates } from './gates.ts'
import { Connection, type ResponseListener, type SimMessage } from './reply.ts'
import type { Owner, Timers } from './timers.ts'

export const LIMITS: HttpLimits = {
  ...HTTP_LIMITS,
  nodeLeaseTtlMs: 3000,
  storeTimeoutMs: 1000,
  sessionIdleTimeoutMs: 20_000,
  maxResumableStreams: 100,
}

/** The tool that may run again after its node has crashed. */
export const REPEATABLE = 'say'

/** One node of the cluster. */
export interface SimNode extends Owner {
  /** The number of nodes that were started before. */
  readonly number: number
  alive: boolean
  /** True if it is partitioned from stores and bus. */
  partitioned: boolean
  readonly core: SimCore
  readonly endpoint: HttpEndpoint
  readonly legacy: LegacyHandler
  readonly connections: Set<Connection>
  readonly errors: unknown[]
}

export interface WorldOptions {
  readonly timers: Timers
  /** The offsets of the wall clocks, one for each node. */
  readonly skews: readonly number[]
  /** True if the nodes share their sessions. Otherwise there is one node with local sessions. */
  readonly shared: boolean
  readonly isIdempotent: boolean
}

export interface World {
  readonly nodes: SimNode[]
  readonly timers: Timers
  readonly store: KeyValueStore
  /** How often each call was run. */
  readonly runs: ReadonlyMap<string, number>
  /** True if a store was too slow, or a node crashed or was partitioned. Then more outcomes are allowed. */
  readonly strained: boolean
  /** The events, in order; formatted on demand. */
  readonly journal: Array<() => string>
  /** Runs one pending operation. */
  step(choice: number): Promise<void>
  /** Runs all pending operations and those that they cause, oldest first; only those older than `olderThan` milliseconds if set. */
  drain(olderThan?: number): Promise<void>
  pass(ms: number): Promise<void>
  /** Crashes a node and starts another. */
  crash(choice: number): Promise<void>
  /** Partitions a node from the stores, or reconnects it. */
  partition(choice: number): void
  /** Reconnects all nodes. */
  heal(): void
  send(node: SimNode, message: SimMessage, listener: ResponseListener): Connection
  /** Runs an action at a node. */
  at(node: SimNode, action: () => void): Promise<void>
  /** Disconnects the client, which the node notices some time later. */
  disconnect(connection: Connection): void
}

const MAX_STEPS = 5000
const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** Starts the nodes. */
export function createWorld(options: WorldOptions): World {
  const { timers } = options
  const store = createMemoryStore({ now: timers.now })
  const log = createMemoryLog({ now: timers.now })
  const runs = new Map<string, number>()
  const owners = new Map<Connection, SimNode>()
  let strained = false
  let started = 0

  const at = async (node: SimNode, action: () => void): Promise<void> => {
    timers.owner = node
    action()
    await settle()
    timers.owner = undefined
  }
  const gates = createGates(timers, at)
  const backendOf = createBackends({ gates, timers, store, log })
  const start = (skewMs: number): SimNode => {
    const step = (): Promise<void> =>
      new Promise((open) => gates.wait({ node, kind: 'tool', label: () => 'a step of a tool', open }))
    const core = createSimCore(step, (mark) => void runs.set(mark, (runs.get(mark) ?? 0) + 1))
    const node: SimNode = { ...createNode(core), number: started++, skewMs }
    timers.owner = node
    const legacy = createLegacy(node.endpoint, backendOf(node), options)
    timers.owner = undefined
    return Object.assign(node, { legacy })
  }
  const nodes = options.skews.map(start)
  const watch = (): void => {
    strained ||= gates.isLate(LIMITS.storeTimeoutMs)
  }

  return {
    nodes,
    timers,
    store,
    runs,
    at,
    journal: gates.journal,
    get strained() {
      return strained
    },
    step: gates.step,
    async drain(olderThan = -1) {
      for (let steps = 0; await gates.stepOldest(olderThan); steps++)
        if (steps === MAX_STEPS) throw new Error('The operations never end')
    },
    async pass(ms) {
      const until = timers.now() + ms
      for (let timer = timers.next(until); timer; timer = timers.next(until)) {
        watch()
        const { owner, run } = timer
        if (owner) await at(owner as SimNode, run)
      }
      watch()
    },
    async crash(choice) {
      const index = choice % nodes.length
      const node = nodes[index] as SimNode
      strained = true
      node.alive = false
      nodes[index] = start(node.skewMs)
      gates.journal.push(() => `${node.number} crashes`)
      timers.drop(node)
      for (const gate of gates.take(node)) gate.fail?.()
      for (const connection of [...node.connections]) connection.close()
      await settle()
    },
    partition(choice) {
      const node = nodes[choice % nodes.length] as SimNode
      node.partitioned = !node.partitioned
      strained = true
    },
    heal() {
      for (const node of nodes) node.partitioned = false
    },
    send(node, message, listener) {
      const connection = new Connection(message, listener)
      owners.set(connection, node)
      node.connections.add(connection)
      connection.onDisconnect(() => void node.connections.delete(connection))
      const open = (): void => void serve(node, connection, message)
      gates.wait({ node, kind: 'client', label: () => JSON.stringify(message), open, fail: () => connection.close() })
      return connection
    },
    disconnect(connection) {
      const node = owners.get(connection)
      connection.detach()
      if (node) gates.wait({ node, kind: 'client', label: () => 'a client disconnected', open: () => connection.close() })
    },
  }
}

function createNode(core: SimCore): Omit<SimNode, 'number' | 'skewMs'> {
  const errors: unknown[] = []
  const onError = (error: unknown): void => void errors.push(error)
  const common = {
    exchange: core.exchange,
    methodOf,
    parseJson: JSON.parse,
    limits: LIMITS,
    running: new LinkedSet<never>(),
    insufficientScopeHeaders: undefined,
  }
  const endpoint: HttpEndpoint = { ...common, streams: createOpenStreams(LIMITS), onError }
  const legacy = undefined as never
  return { alive: true, partitioned: false, core, endpoint, legacy, connections: new Set(), errors }
}

function createLegacy(
  endpoint: HttpEndpoint,
  stores: ReturnType<ReturnType<typeof createBackends>>,
  options: WorldOptions,
): LegacyHandler {
  if (!options.shared) return createSessionHandler(endpoint, createLocalBackend(endpoint, { eventLog: stores.log }))
  return createClusterHandler(endpoint, {
    stores,
    isIdempotent: ({ params }) => options.isIdempotent && params?.name === REPEATABLE,
  })
}

type Serve = (legacy: LegacyHandler, context: HttpContext, message: object) => Promise<void> | void

const VERBS: Readonly<Record<SimMessage['verb'], Serve>> = {
  POST: (legacy, context, message) => legacy.post({ kind: kindOf(message), message } as never, context),
  GET: (legacy, context) => legacy.get(context),
  DELETE: (legacy, context) => legacy.delete(context),
}

async function serve({ legacy, endpoint }: SimNode, connection: Connection, { verb, message = {} }: SimMessage): Promise<void> {
  try {
    await VERBS[verb](legacy, connection, message)
  } catch (error) {
    sendError(connection, toHttpError(error, endpoint.onError))
  }
}

function kindOf(message: object): string {
  if (!('method' in message)) return 'response'
  return 'id' in message ? 'request' : 'notification'
}
