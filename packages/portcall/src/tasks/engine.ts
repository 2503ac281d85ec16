/**
 * Brings tasks to workers. What a task is, who may work on it and what became of it is none of its business: it carries references.
 *
 * It delivers at least once: a reference that was added is delivered until its work is done, also when the process that worked on it dies.
 * To deliver one twice, or to two workers, does no harm: the work itself sees to it that a task runs in one place at a time.
 */
export interface TaskEngine {
  /** Takes a reference in: from when this resolves it is kept as safely as the engine keeps anything. */
  add(ref: string, options: AddOptions): Promise<void>
  /** Begins to deliver in this process. Called once at the most; a process that only takes tasks in never calls it. */
  work(work: Work, options: WorkOptions): Promise<void>
  /** Delivers no more; resolves when all work that was begun here is settled. What is not done is kept, for others. May be called again. */
  close(): Promise<void>
}

/** What an engine is told about work that is new. */
export interface AddOptions {
  /** After this many milliseconds it need not be delivered any more. */
  readonly ttlMs: number
}

/** How a process works on tasks. */
export interface WorkOptions {
  /** The most that is worked on at a time. */
  readonly concurrency: number
  /** Hears of what went wrong in the background. */
  readonly onError: (error: unknown) => void
}

/**
 * Works on one reference. `done`: there is nothing left to do. `later`, or a rejection: it is to be delivered again, soon at first and then
 * less and less often.
 */
export type Work = (ref: string) => Promise<'done' | 'later'>
