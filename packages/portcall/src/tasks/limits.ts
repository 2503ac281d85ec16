/** The bounds of tasks. */
export interface TaskLimits {
  /** How long a task is kept, in milliseconds from its creation on, finished or not. */
  ttlMs: number
  /** The longest that a client may ask for, where its revision lets it. */
  maxTtlMs: number
  /** How often clients are told to look. */
  pollIntervalMs: number
  /** Unfinished tasks of all callers. */
  maxTasks: number
  /** Unfinished tasks of one principal. */
  maxPrincipalTasks: number
  /** Tasks that this process works on at a time. */
  concurrency: number
  /** Bytes of a result, and of everything else that a record keeps. Larger ones fail the task. */
  maxRecordBytes: number
  /** How often a task is begun whose worker died before it got any further. */
  maxAttempts: number
  /** A worker that gives no sign of life for so long has lost its task to others. */
  leaseMs: number
  /** Unfinished tasks are looked through this often, for those that nobody works on. */
  sweepMs: number
  /** An operation of the store that takes longer has failed. */
  storeTimeoutMs: number
  /** The status message of a task is written at most this often. */
  messageMs: number
  /** How far the clocks of nodes may be apart: records are kept so much longer than is told. */
  maxSkewMs: number
}

export const TASK_LIMITS: TaskLimits = {
  ttlMs: 86_400_000,
  maxTtlMs: 604_800_000,
  pollIntervalMs: 1000,
  maxTasks: 10_000,
  maxPrincipalTasks: 100,
  concurrency: 16,
  maxRecordBytes: 1024 * 1024,
  maxAttempts: 3,
  leaseMs: 15_000,
  sweepMs: 60_000,
  storeTimeoutMs: 5000,
  messageMs: 500,
  maxSkewMs: 600_000,
}
