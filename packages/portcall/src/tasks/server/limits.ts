/** The limits and timings of tasks. */
export interface TaskLimits {
  /** How long a task is stored, in milliseconds from its creation, finished or not. */
  ttlMs: number
  /** Upper bound of the `ttl` that clients may request, in revisions that allow it. */
  maxTtlMs: number
  /** The poll interval that tasks suggest to clients. */
  pollIntervalMs: number
  /** Maximum number of unfinished tasks of all callers. */
  maxTasks: number
  /** Maximum number of unfinished tasks of one principal. */
  maxPrincipalTasks: number
  /** Maximum number of tasks that this process runs at the same time. */
  concurrency: number
  /** Maximum bytes of the record of a task, including its result. A task that exceeds it fails. */
  maxRecordBytes: number
  /** How often a task is started whose worker fails before the task makes progress. */
  maxAttempts: number
  /** How long the task of a worker that has failed remains locked. */
  leaseTtlMs: number
  /** How often unfinished tasks are checked for those that no worker runs. */
  sweepIntervalMs: number
  /** Time allowed for an operation of the store. */
  storeTimeoutMs: number
  /** Minimum interval between two updates of the status message of a task. */
  statusMessageIntervalMs: number
  /** Maximum difference between the clocks of processes. Records are stored for this much longer than their TTL. */
  maxClockSkewMs: number
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
  leaseTtlMs: 15_000,
  sweepIntervalMs: 60_000,
  storeTimeoutMs: 5000,
  statusMessageIntervalMs: 500,
  maxClockSkewMs: 600_000,
}
