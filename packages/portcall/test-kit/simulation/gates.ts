import type { EventLog } from '../../src/stores/log.ts'
import type { KeyValueStore } from '../../src/stores/store.ts'
import type { Stores } from '../../src/stores/stores.ts'
import type { Timers } from './timers.ts'
import type { SimNode } from './world.ts'

/** A pending operation that waits until the simulation runs it. */
export interface Gate {
  readonly node: SimNode
  readonly kind: 'backend' | 'client' | 'tool'
  /** Operations of one lane run in order. */
  readonly lane?: string | undefined
  /** When the operation that it is a part of started. */
  readonly since: number
  label(): string
  open(): void
  /** Called when its node has crashed. */
  fail?: (() => void) | undefined
}

/** All pending operations. */
export interface Gates {
  /** The operations that ran, in order. */
  readonly journal: Array<() => string>
  /** Reports whether an operation of a store, a log or the bus has been pending for `ms`. */
  isLate(ms: number): boolean
  wait(gate: Omit<Gate, 'since'> & { readonly since?: number }): void
  /** Runs one operation, except backend operations of partitioned nodes. */
  step(choice: number): Promise<void>
  /** Runs the oldest operation if it has been pending for more than `olderThan` milliseconds. Reports whether there was one. */
  stepOldest(olderThan: number): Promise<boolean>
  /** Removes and returns the operations of a node. */
  take(node: SimNode): Gate[]
}

/** Creates the gates. `run` runs code of a node. */
export function createGates(timers: Timers, run: (node: SimNode, action: () => void) => Promise<void>): Gates {
  const journal: Array<() => string> = []
  let gates: Gate[] = []

  const mayOpen = (): Gate[] => {
    const lanes = new Set<string>()
    return gates.filter(({ node, kind, lane }) => {
      if (node.partitioned && kind === 'backend') return false
      if (lane === undefined) return true
      return !lanes.has(lane) && lanes.add(lane)
    })
  }
  const open = async (gate: Gate | undefined): Promise<void> => {
    if (!gate) return
    const now = timers.now()
    gates.splice(gates.indexOf(gate), 1)
    journal.push(() => `${now} ${gate.node.number} ${gate.label()}`)
    await run(gate.node, gate.open)
  }
  return {
    journal,
    isLate: (ms) => gates.some(({ kind, since }) => kind === 'backend' && timers.now() - since >= ms),
    wait(gate) {
      if (gate.node.alive) gates.push({ since: timers.now(), ...gate })
    },
    async step(choice) {
      const all = mayOpen()
      await open(all[choice % Math.max(1, all.length)])
    },
    async stepOldest(olderThan) {
      const gate = mayOpen().find(({ since }) => timers.now() - since > olderThan)
      await open(gate)
      return gate !== undefined
    },
    take(node) {
      const mine = gates.filter((gate) => gate.node === node)
      gates = gates.filter((gate) => gate.node !== node)
      return mine
    },
  }
}

interface BackendOptions {
  readonly gates: Gates
  readonly timers: Timers
  readonly store: KeyValueStore
  readonly log: EventLog
}

/** Creates the backends of each node, over one store, log and bus. Each operation waits at a gate before it runs and before it returns. */
export function createBackends({ gates, timers, store, log }: BackendOptions): (node: SimNode) => Omit<Stores, 'close'> {
  const subscribers = new Map<string, Set<{ node: SimNode; onMessage: (message: string) => void }>>()
  const publish = (from: SimNode) => async (topic: string, message: string) => {
    for (const { node, onMessage } of subscribers.get(topic) ?? []) {
      const lane = `${from.number} to ${node.number}`
      if (!node.partitioned)
        gates.wait({ node, kind: 'backend', lane, label: () => `receives ${message}`, open: () => onMessage(message) })
    }
  }
  const subscribe = (node: SimNode) => async (topic: string, onMessage: (message: string) => void) => {
    const subscriber = { node, onMessage }
    const all = subscribers.get(topic) ?? new Set()
    subscribers.set(topic, all.add(subscriber))
    return () => void all.delete(subscriber)
  }
  return (node) => {
    const gated =
      <A extends unknown[], R>(name: string, operation: (...args: A) => Promise<R>, laneOf?: (key: A[0]) => string) =>
      (...args: A): Promise<R> =>
        new Promise((resolve, reject) => {
          const since = timers.now()
          const label = (): string => `${name} ${JSON.stringify(args)}`
          const complete = (settle: () => void, value: unknown): void =>
            gates.wait({
              node,
              since,
              kind: 'backend',
              label: () => `${label()} returned ${JSON.stringify(value)}`,
              open: settle,
            })
          const open = (): void =>
            void operation(...args).then(
              (value) => complete(() => resolve(value), value),
              (error) => complete(() => reject(error), String(error)),
            )
          gates.wait({ node, since, kind: 'backend', lane: laneOf?.(args[0]), label, open })
        })
    return {
      store: {
        get: gated('get', store.get),
        set: gated('set', store.set),
        delete: gated('delete', store.delete),
        compareAndSet: gated('compareAndSet', store.compareAndSet),
        list: gated('list', store.list),
        count: gated('count', store.count),
      },
      log: {
        append: gated('append', log.append, (key) => `${node.number} appends ${key}`),
        read: gated('read', log.read),
        delete: gated('delete log', log.delete),
      },
      bus: {
        publish: gated('publish', publish(node), (topic) => `${node.number} publishes ${topic}`),
        subscribe: gated('subscribe', subscribe(node)),
      },
    }
  }
}
