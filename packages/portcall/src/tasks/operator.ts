import type { Ledger } from './ledger.ts'
import { cancel } from './record.ts'
import { renderDetails } from './render.ts'
import type { Shift } from './shift.ts'
import type { DetailedTask } from './types.ts'
import type { Worker } from './worker.ts'

/** Whose task is meant: that of a principal, or of nobody where callers are not told apart. */
export interface Whose {
  readonly principal?: string
}

/** The tasks of a server, for its operator: `server.tasks`. */
export interface Tasks {
  /** How many tasks this process works on. */
  readonly running: number
  /** The tasks that a principal may ask for, finished or not, in no special order. */
  list(options?: Whose & { readonly after?: string; readonly limit?: number }): Promise<DetailedTask[]>
  get(taskId: string, whose?: Whose): Promise<DetailedTask | undefined>
  /** Cancels a task as its caller would; the message is told to the caller. */
  cancel(taskId: string, options?: Whose & { readonly message?: string }): Promise<void>
  /**
   * Works on no more tasks in this process: what runs has `drainMs` to end, by default no time; what is left then goes on elsewhere, or
   * here after a restart. From then on calls here become no tasks: they are answered in line, or refused where the tool says `required`.
   * Resolves when nothing runs any more.
   */
  stop(options?: { readonly drainMs?: number }): Promise<void>
}

export interface OperatorOptions {
  readonly ledger: Ledger
  readonly worker: Worker
  readonly shift: Shift
  readonly now: () => number
}

export function createOperator({ ledger, worker, shift, now }: OperatorOptions): Tasks {
  return {
    get running() {
      return worker.size
    },
    async list({ principal, after, limit = 100 } = {}) {
      const ids = await ledger.list(principal, { limit, ...(after !== undefined && { after }) })
      const all = await Promise.all(ids.map(async (id) => await ledger.read(await ledger.refOf(principal, id))))
      return all.flatMap((record) => (record ? [renderDetails(record)] : []))
    },
    async get(taskId, { principal } = {}) {
      const record = await ledger.read(await ledger.refOf(principal, taskId))
      return record && renderDetails(record)
    },
    async cancel(taskId, { principal, message } = {}) {
      await ledger.change(await ledger.refOf(principal, taskId), (record) => cancel(record, now(), message))
    },
    stop: ({ drainMs = 0 } = {}) => shift.end(drainMs),
  }
}
