import type { Log } from '../../../stores/log.ts'
import type { Store } from '../../../stores/store.ts'
import type { Stores } from '../../../stores/stores.ts'
import type { Timers } from './timers.test-kit.ts'
import type { SimNode } from './world.test-kit.ts'

/** Something that waits until whoever drives the simulation lets it go on. */
export interface Gate {
  readonly node: SimNode
  readonly kind: 'backend' | 'client' | 'tool'
  /** Of those in one lane only the first may go on. */
  readonly lane?: string | undefined
  /** When what it is a part of began. */
  readonly since: number
  label(): string
  open(): void
  /** Its process has died. */
  fail?: (() => void) | undefined
}

/** All that waits. */
export interface Gates {
  /** What went on, in order. */
  readonly journal: Array<() => string>
  /** Something of a store, a log or the bus has waited for as long as this. */
  isLate(ms: number): boolean
  wait(gate: Omit<Gate, 'since'> & { readonly since?: number }): void
  /** Lets one go on; none that waits for a backend from which its process is cut off. */
  step(choice: number): Promise<void>
  /** Lets the one go on that waits longest, if that is longer than so many milliseconds. Tells whether there was one. */
  stepOldest(olderThan: number): Promise<boolean>
  /** Takes all of a process out. */
  take(node: SimNode): Gate[]
}

/** Makes gates; `run` lets code of a process run. */
export function createGates(timers: Timers, run: (node: SimNode, action: () => void) => Promise<void>): Gates {
  const journal: Array<() => string> = []
  let gates: Gate[] = []

  const mayOpen = (): Gate[] => {
    const lanes = new Set<string>()
    return gates.filter(({ node, kind, lane }) => {
      if (node.cut && kind === 'backend') return false
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
  readonly store: Store
  readonly log: Log
}

/** A way to one store, log and bus for each process: what it does waits before it is done, and before its answer is heard. */
export function createBackends({ gates, timers, store, log }: BackendOptions): (node: SimNode) => Omit<Stores, 'close'> {
  const hearers = new Map<string, Set<{ node: SimNode; hear: (message: string) => void }>>()
  const publish = (from: SimNode) => async (topic: string, message: string) => {
    for (const { node, hear } of hearers.get(topic) ?? []) {
      const lane = `${from.number} to ${node.number}`
      if (!node.cut) gates.wait({ node, kind: 'backend', lane, label: () => `hears ${message}`, open: () => hear(message) })
    }
  }
  const subscribe = (node: SimNode) => async (topic: string, hear: (message: string) => void) => {
    const hearer = { node, hear }
    const all = hearers.get(topic) ?? new Set()
    hearers.set(topic, all.add(hearer))
    return () => void all.delete(hearer)
  }
  return (node) => {
    const around =
      <A extends unknown[], R>(name: string, operation: (...args: A) => Promise<R>, laneOf?: (key: A[0]) => string) =>
      (...args: A): Promise<R> =>
        new Promise((resolve, reject) => {
          const since = timers.now()
          const label = (): string => `${name} ${JSON.stringify(args)}`
          const hear = (settle: () => void, value: unknown): void =>
            gates.wait({ node, since, kind: 'backend', label: () => `${label()} gave ${JSON.stringify(value)}`, open: settle })
          const open = (): void =>
            void operation(...args).then(
              (value) => hear(() => resolve(value), value),
              (error) => hear(() => reject(error), String(error)),
            )
          gates.wait({ node, since, kind: 'backend', lane: laneOf?.(args[0]), label, open })
        })
    return {
      store: {
        get: around('get', store.get),
        set: around('set', store.set),
        delete: around('delete', store.delete),
        swap: around('swap', store.swap),
        list: around('list', store.list),
        count: around('count', store.count),
      },
      log: {
        append: around('append', log.append, (key) => `${node.number} appends ${key}`),
        read: around('read', log.read),
        delete: around('erase', log.delete),
      },
      bus: {
        publish: around('publish', publish(node), (topic) => `${node.number} publishes ${topic}`),
        subscribe: around('subscribe', subscribe(node)),
      },
    }
  }
}
