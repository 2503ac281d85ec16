import { isLargerThan } from '../../../../util/src/bytes.ts'
import { PortcallError } from '../../../../util/src/errors.ts'
import { createAnnouncements } from '../../stores/announcements.ts'
import type { Bus } from '../../stores/bus.ts'
import { digest } from '../../stores/sealing/seal.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import type { TaskLimits } from '../server/limits.ts'
import { isTerminalStatus } from '../types.ts'
import type { TaskRecord } from './record.ts'

/**
 * Identifies a task among all tasks of a server: the digest of its principal, and its id. Another principal computes another reference, and
 * thus never finds it.
 */
export type TaskRef = `${string}/${string}`

/** Returns the key of the lease that a worker holds while it runs a task. */
export function leaseKey(ref: TaskRef): string {
  return `tasks/lease/${ref}`
}

/** Stores the records of all tasks. */
export interface TaskStore {
  refOf(principal: string | undefined, id: string): Promise<TaskRef>
  /** Stores a new record. Resolves to the limit that it exceeds, if there is one; then nothing is stored. */
  create(record: TaskRecord): Promise<ExceededTaskLimit | undefined>
  read(ref: TaskRef): Promise<TaskRecord | undefined>
  /**
   * Replaces a record by `change(record)`. Calls `change` again after a concurrent change. Resolves to the new record, or to `undefined` if
   * there is none.
   *
   * @throws TaskRecordTooLargeError
   */
  change(ref: TaskRef, change: (record: TaskRecord) => TaskRecord): Promise<TaskRecord | undefined>
  /** Resolves to a page of the tasks without a terminal status, in order. Some of them may just have ended. */
  listUnfinished(options: { after?: TaskRef; limit: number }): Promise<TaskRef[]>
  /** Resolves to a page of the ids of a principal's tasks, in order. */
  list(principal: string | undefined, options: { after?: string; limit: number }): Promise<string[]>
  /** Calls the listener after each change of a task in any process. Resolves to a function that removes it. */
  watch(ref: TaskRef, onChange: () => void): Promise<() => void>
}

/** The record of a task would exceed `maxRecordBytes`. */
export class TaskRecordTooLargeError extends PortcallError {
  override readonly name = 'TaskRecordTooLargeError'
  readonly code = 'TASK_RECORD_TOO_LARGE'

  /** `bytes` is the size that the record would have, `maxBytes` the limit. */
  constructor(bytes: number, maxBytes: number) {
    super(`The record of the task has ${bytes} bytes, but at most ${maxBytes} are allowed (maxRecordBytes)`)
  }
}

/** The limit of unfinished tasks that is exceeded: that of the server or that of the caller. */
export type ExceededTaskLimit = 'maxTasks' | 'maxPrincipalTasks'

export interface TaskStoreOptions {
  readonly store: KeyValueStore
  readonly bus: Bus
  readonly limits: Pick<TaskLimits, 'maxTasks' | 'maxPrincipalTasks' | 'maxClockSkewMs' | 'maxRecordBytes'>
  readonly now: () => number
}

const RECORD = 'tasks/record/'
const UNFINISHED = 'tasks/open/'
const TOPIC = 'tasks'
/** The owner of tasks without a principal. */
const NO_OWNER = '-'

export function createTaskStore({ store, bus, limits, now }: TaskStoreOptions): TaskStore {
  // A process that misses an announcement notices the change when it polls.
  const announcements = createAnnouncements({ bus, topic: TOPIC })
  const ownerOf = async (principal: string | undefined): Promise<string> =>
    principal === undefined ? NO_OWNER : await digest(principal)
  /** Returns the remaining time to live. The clock of the process that created the record may be behind: nothing may expire too early. */
  const remainingTtlMs = ({ createdAt, ttlMs }: TaskRecord): number =>
    Math.max(1, createdAt + ttlMs + limits.maxClockSkewMs - now())

  const findExceededLimit = async (owner: string): Promise<ExceededTaskLimit | undefined> => {
    if ((await store.count(UNFINISHED)) > limits.maxTasks) return 'maxTasks'
    const own = owner === NO_OWNER ? 0 : await store.count(`${UNFINISHED}${owner}/`)
    return own > limits.maxPrincipalTasks ? 'maxPrincipalTasks' : undefined
  }

  const serialize = (record: TaskRecord): string => {
    const text = JSON.stringify(record)
    const { maxRecordBytes } = limits
    if (isLargerThan(text, maxRecordBytes))
      throw new TaskRecordTooLargeError(new TextEncoder().encode(text).length, maxRecordBytes)
    return text
  }
  /** Removes a task from the unfinished ones. If that fails, the entry expires with the task. */
  const removeUnfinished = (ref: string): Promise<void> => store.delete(UNFINISHED + ref).catch(() => {})

  return {
    refOf: async (principal, id) => `${await ownerOf(principal)}/${id}`,
    async create(record) {
      const owner = await ownerOf(record.principal)
      const ref: TaskRef = `${owner}/${record.id}`
      const ttlMs = remainingTtlMs(record)
      const value = serialize(record)
      await store.set(UNFINISHED + ref, '', { ttlMs })
      let isCreated = false
      try {
        const exceededLimit = await findExceededLimit(owner)
        isCreated = !exceededLimit && (await store.compareAndSet(RECORD + ref, { expected: undefined, value, ttlMs }))
        return exceededLimit
      } finally {
        if (!isCreated) await removeUnfinished(ref)
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
        const write = { expected, value: serialize(after), ttlMs: remainingTtlMs(after) }
        if (!(await store.compareAndSet(RECORD + ref, write))) continue
        if (isTerminalStatus(after.status)) await removeUnfinished(ref)
        await announcements.announce(ref)
        return after
      }
    },
    async list(principal, { after, limit }) {
      const prefix = `${RECORD}${await ownerOf(principal)}/`
      const keys = await store.list(prefix, { limit, ...(after !== undefined && { after: prefix + after }) })
      return keys.map((key) => key.slice(prefix.length))
    },
    async listUnfinished({ after, limit }) {
      const keys = await store.list(UNFINISHED, { limit, ...(after !== undefined && { after: UNFINISHED + after }) })
      return keys.map((key) => key.slice(UNFINISHED.length) as TaskRef)
    },
    async watch(ref, onChange) {
      const unwatch = announcements.watch(ref, onChange)
      // While the bus is unavailable, the run begins without it; missed changes are checked for when it is there.
      await announcements.whenSubscribed()
      return unwatch
    },
  }
}
