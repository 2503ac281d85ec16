/**
 * Delivers tasks to workers. A queue carries references only: what a task is, who may run it and what its outcome is does not concern it.
 *
 * Delivery is at least once: a reference is delivered until it is processed, also if the process that was working on it fails. Delivering it
 * twice, or to two workers, is harmless: workers make sure that a task runs in one place at a time.
 */
export interface TaskQueue {
  /** Adds a reference. Once this resolves, the reference is stored as durably as the queue stores anything. */
  enqueue(ref: string, options: EnqueueOptions): Promise<void>
  /** Starts delivery in this process. Called once at most, and never in a process that only creates tasks. */
  process(processor: TaskProcessor, options: ProcessOptions): Promise<void>
  /** Resolves to the number of references in the queue, those that are being processed included. Absent if the queue cannot tell. */
  count?(): Promise<number>
  /**
   * Stops delivery. Resolves when the references that are being processed here are settled. References that are not done stay in the queue for
   * other processes. May be called several times.
   */
  close(): Promise<void>
}

/** Options of a reference that is added. */
export interface EnqueueOptions {
  /** After this many milliseconds, the reference need not be delivered any more. */
  readonly ttlMs: number
}

/** How a process processes references. */
export interface ProcessOptions {
  /** Maximum number of references that are processed at the same time. */
  readonly concurrency: number
  /** Called with errors that occur in the background. */
  readonly onError: (error: unknown) => void
}

/**
 * Processes one reference. `done` removes it from the queue. `retry`, or a rejection, delivers it again, soon at first and then with
 * increasing delays.
 */
export type TaskProcessor = (ref: string) => Promise<'done' | 'retry'>
