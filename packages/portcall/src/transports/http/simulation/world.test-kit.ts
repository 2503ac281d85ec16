/**
 * Several processes that serve the same sessions, in one: every operation of a store, log or bus waits at a gate before it is done and
 * before its answer is heard, every message of the bus and every request of a client at one before it arrives, and tools at one between
 * two steps. Whoever drives the simulation says which goes on next, when time passes, and when a process dies or is cut off.
 */
import { methodOf } from '../../../protocol/methods.ts'
import { createMemoryLog } from '../../../stores/memory-log.ts'
import { createMemoryStore } from '../../../stores/memory-store.ts'
import type { Store } from '../../../stores/store.ts'
import type { Endpoint, Visit } from '../endpoint.ts'
import { asHttpError, sendError } from '../http-error.ts'
import type { Legacy } from '../legacy-half.ts'
import { HTTP_LIMITS, type HttpLimits } from '../limits.ts'
import { BOTH } from '../media.ts'
import { createSessions } from '../sessions.ts'
import { createSharedSessions } from '../shared/sessions.ts'
import { createStreams } from '../streams.ts'
import { createSimCore, type SimCore } from './core.test-kit.ts'
import { createBackends, createGates } from './gates.test-kit.ts'
import { Connection, type Hearer, type SimMessage } from './reply.test-kit.ts'
import type { Owner, Timers } from './timers.test-kit.ts'

export const LIMITS: HttpLimits = {
  ...HTTP_LIMITS,
  nodeLeaseMs: 3000,
  storeTimeoutMs: 1000,
  sessionIdleMs: 20_000,
  maxEndedStreams: 100,
}

/** The tool that may be run again when its process has died. */
export const REPEATABLE = 'say'

/** One process. */
export interface SimNode extends Owner {
  /** How many were started before it. */
  readonly number: number
  alive: boolean
  /** Cut off from stores and bus. */
  cut: boolean
  readonly core: SimCore
  readonly endpoint: Endpoint
  readonly legacy: Legacy
  readonly connections: Set<Connection>
  readonly errors: unknown[]
}

export interface WorldOptions {
  readonly timers: Timers
  /** How far the calendars of the processes are off; one process for each. */
  readonly skews: readonly number[]
  /** Whether the processes share their sessions; alone, one keeps them to itself. */
  readonly shared: boolean
  readonly mayRepeat: boolean
}

export interface World {
  readonly nodes: SimNode[]
  readonly timers: Timers
  readonly store: Store
  /** How often each call ran. */
  readonly runs: ReadonlyMap<string, number>
  /** Something took longer than a store may, a process died, or was cut off: then more may happen. */
  readonly strained: boolean
  /** What happened, in order; told only when somebody asks. */
  readonly journal: Array<() => string>
  /** Lets one thing that waits go on. */
  step(choice: number): Promise<void>
  /** Lets go on all that waits, and what comes of it, oldest first; `olderThan` milliseconds, when it is given. */
  drain(olderThan?: number): Promise<void>
  pass(ms: number): Promise<void>
  /** A process dies, and another is started. */
  crash(choice: number): Promise<void>
  /** Cuts a process off, or joins it again. */
  cut(choice: number): void
  heal(): void
  send(node: SimNode, message: SimMessage, hearer: Hearer): Connection
  /** Something happens at a process. */
  at(node: SimNode, action: () => void): Promise<void>
  /** The client is gone, which the process notices some time later. */
  hangUp(connection: Connection): void
}

const MOST_STEPS = 5000
const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** Starts the processes. */
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
        if (steps === MOST_STEPS) throw new Error('It never comes to rest')
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
      gates.journal.push(() => `${node.number} dies`)
      timers.drop(node)
      for (const gate of gates.take(node)) gate.fail?.()
      for (const connection of [...node.connections]) connection.close()
      await settle()
    },
    cut(choice) {
      const node = nodes[choice % nodes.length] as SimNode
      node.cut = !node.cut
      strained = true
    },
    heal() {
      for (const node of nodes) node.cut = false
    },
    send(node, message, hearer) {
      const connection = new Connection(message, hearer)
      owners.set(connection, node)
      node.connections.add(connection)
      connection.request.onGone(() => void node.connections.delete(connection))
      const open = (): void => void serve(node, connection, message)
      gates.wait({ node, kind: 'client', label: () => JSON.stringify(message), open, fail: () => connection.close() })
      return connection
    },
    hangUp(connection) {
      const node = owners.get(connection)
      connection.leave()
      if (node) gates.wait({ node, kind: 'client', label: () => 'a client is gone', open: () => connection.close() })
    },
  }
}

function createNode(core: SimCore): Omit<SimNode, 'number' | 'skewMs'> {
  const errors: unknown[] = []
  const onError = (error: unknown): void => void errors.push(error)
  const common = { exchange: core.exchange, methodOf, limits: LIMITS, running: new Set<never>(), challenge: undefined }
  const endpoint: Endpoint = { ...common, streams: createStreams(LIMITS), onError }
  const legacy = undefined as never
  return { alive: true, cut: false, core, endpoint, legacy, connections: new Set(), errors }
}

function createLegacy(endpoint: Endpoint, stores: ReturnType<ReturnType<typeof createBackends>>, options: WorldOptions): Legacy {
  if (!options.shared) return createSessions(endpoint, { log: stores.log })
  return createSharedSessions(endpoint, {
    stores,
    mayRepeat: ({ params }) => options.mayRepeat && params?.name === REPEATABLE,
  })
}

type Serve = (legacy: Legacy, visit: Visit, message: object) => Promise<void> | void

const VERBS: Readonly<Record<SimMessage['verb'], Serve>> = {
  POST: (legacy, visit, message) => legacy.post({ kind: kindOf(message), message } as never, visit),
  GET: (legacy, visit) => legacy.get(visit),
  DELETE: (legacy, visit) => legacy.remove(visit),
}

async function serve({ legacy, endpoint }: SimNode, connection: Connection, { verb, message = {} }: SimMessage): Promise<void> {
  try {
    await VERBS[verb](legacy, { request: connection.request, reply: connection, accepted: BOTH, auth: undefined }, message)
  } catch (error) {
    sendError(connection, asHttpError(error, endpoint.onError))
  }
}

function kindOf(message: object): string {
  if (!('method' in message)) return 'response'
  return 'id' in message ? 'request' : 'notification'
}
