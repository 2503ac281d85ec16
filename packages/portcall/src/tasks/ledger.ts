import type { Bus } from '../stores/bus.ts'
import { digest } from '../stores/seal.ts'
import type { Store } from '../stores/store.ts'
import type { TaskLimits } from './limits.ts'
import type { TaskRecord } from './record.ts'
import { isFinal } from './types.ts'

/** Names a task among all of a server: the hash of its principal, and its id. Whoever is somebody else never finds it. */
export type TaskRef = `${string}/${string}`

/** Where the lease of a task rests: whoever has it works on the task. */
export function leaseKey(ref: TaskRef): string {
  return `tasks/lease/${ref}`
}

/** The records of all tasks, in the store. */
export interface Ledger {
  refOf(principal: string | undefined, id: string): Promise<TaskRef>
  /** Writes a new record. Resolves to the limit that stands against it, if one does; then nothing is left of it. */
  create(record: TaskRecord): Promise<Refusal | undefined>
  read(ref: TaskRef): Promise<TaskRecord | undefined>
  /**
   * Changes a record as `change` says, which is asked again when somebody else was faster. Resolves to the record as it is then, and
   * to nothing when there is none.
   */
  change(ref: TaskRef, change: (record: TaskRecord) => TaskRecord): Promise<TaskRecord | undefined>
  /** The unfinished tasks that come behind `after`, in their order; some may have ended just so. */
  open(options: { after?: TaskRef; limit: number }): Promise<TaskRef[]>
  /** The ids of a principal's tasks that come behind `after`, in their order. */
  list(principal: string | undefined, options: { after?: string; limit: number }): Promise<string[]>
  /** Calls back after each change of a task, on whatever node; what it gives ends that. */
  watch(ref: TaskRef, onChange: () => void): Promise<() => void>
}

/** A record would be larger than `maxRecordBytes`. */
export class RecordTooLarge extends Error {
  override readonly name = 'RecordTooLarge'
  readonly code = 'RECORD_TOO_LARGE'

  constructor(bytes: number, most: number) {
    super(`What the task has to keep has ${bytes} bytes; ${most} are allowed (maxRecordBytes)`)
  }
}

/** Too many tasks are unfinished: of all callers, or of this one. */
export type Refusal = 'maxTasks' | 'maxPrincipalTasks'

export interface LedgerOptions {
  readonly store: Store
  readonly bus: Bus
  readonly limits: Pick<TaskLimits, 'maxTasks' | 'maxPrincipalTasks' | 'maxSkewMs' | 'maxRecordBytes'>
  readonly now: () => number
}

const RECORD = 'tasks/record/'
const OPEN = 'tasks/open/'
const TOPIC = 'tasks'
/** The owner of tasks that have none. */
const NOBODY = '-'

export function createLedger({ store, bus, limits, now }: LedgerOptions): Ledger {
  const watchers = createWatchers(bus)
  const ownerOf = async (principal: string | undefined): Promise<string> =>
    principal === undefined ? NOBODY : await digest(principal)
  /** The clock of this node may be ahead of that of the node which made the record: nothing may go too early. */
  const restOf = ({ createdAt, ttlMs }: TaskRecord): number => Math.max(1, createdAt + ttlMs + limits.maxSkewMs - now())

  const refused = async (owner: string): Promise<Refusal | undefined> => {
    if ((await store.count(OPEN)) > limits.maxTasks) return 'maxTasks'
    const own = owner === NOBODY ? 0 : await store.count(`${OPEN}${owner}/`)
    return own > limits.maxPrincipalTasks ? 'maxPrincipalTasks' : undefined
  }

  const write = (record: TaskRecord): string => {
    const text = JSON.stringify(record)
    const bytes = text.length * 3 > limits.maxRecordBytes ? new TextEncoder().encode(text).length : 0
    if (bytes > limits.maxRecordBytes) throw new RecordTooLarge(bytes, limits.maxRecordBytes)
    return text
  }
  /** Takes a task out of those that are unfinished. Where that fails it goes with its time to live. */
  const close = (ref: string): Promise<void> => store.delete(OPEN + ref).catch(() => {})

  return {
    refOf: async (principal, id) => `${await ownerOf(principal)}/${id}`,
    async create(record) {
      const owner = await ownerOf(record.principal)
      const ref: TaskRef = `${owner}/${record.id}`
      const ttlMs = restOf(record)
      const text = write(record)
      await store.set(OPEN + ref, '', { ttlMs })
      let created = false
      try {
        const refusal = await refused(owner)
        created = !refusal && (await store.swap(RECORD + ref, { expected: undefined, value: text, ttlMs }))
        return refusal
      } finally {
        if (!created) await close(ref)
      }
    },
    async read(ref) {
      const text = await store.get(RECORD + ref)
      return text === undefined ? undefined : (JSON.parse(text) as TaskRecord)
    },
    async change(ref, change) {
      for (;;) {
        const expected = await store.get(RECORD + ref)
        if (expected === undefined) return undefined
        const before = JSON.parse(expected) as TaskRecord
        const after = change(before)
        if (after === before) return before
        if (!(await store.swap(RECORD + ref, { expected, value: write(after), ttlMs: restOf(after) }))) continue
        if (isFinal(after.status)) await close(ref)
        await watchers.tell(ref)
        return after
      }
    },
    async list(principal, { after, limit }) {
      const prefix = `${RECORD}${await ownerOf(principal)}/`
      const keys = await store.list(prefix, { limit, ...(after !== undefined && { after: prefix + after }) })
      return keys.map((key) => key.slice(prefix.length))
    },
    async open({ after, limit }) {
      const keys = await store.list(OPEN, { limit, ...(after !== undefined && { after: OPEN + after }) })
      return keys.map((key) => key.slice(OPEN.length) as TaskRef)
    },
    watch: watchers.watch,
  }
}

/** Who waits for changes of which task on this node. It listens to the bus while anybody does. */
function createWatchers(bus: Bus): { tell(ref: TaskRef): Promise<void>; watch: Ledger['watch'] } {
  const watchers = new Map<string, Set<() => void>>()
  let attached: Promise<() => void> | undefined

  const hear = (ref: string): void => {
    for (const onChange of watchers.get(ref) ?? []) onChange()
  }
  const leave = (ref: string, onChange: () => void): void => {
    const others = watchers.get(ref)
    others?.delete(onChange)
    if (others?.size === 0) watchers.delete(ref)
    if (watchers.size > 0) return
    void attached?.then((detach) => detach())
    attached = undefined
  }

  return {
    /** Who does not hear of a change looks again by itself. */
    tell: (ref) => bus.publish(TOPIC, ref).catch(() => {}),
    async watch(ref, onChange) {
      watchers.set(ref, (watchers.get(ref) ?? new Set()).add(onChange))
      try {
        await (attached ??= bus.subscribe(TOPIC, hear))
      } catch (error) {
        attached = undefined
        leave(ref, onChange)
        throw error
      }
      return () => leave(ref, onChange)
    },
  }
}
