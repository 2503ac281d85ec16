import type { AbortSource } from './abort.ts'
import { raceAbort } from './timers.ts'

type Task<T> = () => Promise<T>

/** Runs tasks one at a time, in the order of the calls. */
export interface Mutex {
  /** @throws the abort reason if the signal is aborted before the task starts; whatever the task throws. */
  run<T>(task: Task<T>, signal?: AbortSignal): Promise<T>
}

export function createMutex(): Mutex {
  const mutex = createKeyedMutex()
  return { run: (task, signal) => mutex.run('', task, signal) }
}

/** One mutex for each key. */
export interface KeyedMutex {
  /** @throws the abort reason if the signal is aborted before the task starts; whatever the task throws. */
  run<T>(key: string, task: Task<T>, signal?: AbortSignal): Promise<T>
}

/** Creates a keyed mutex. A key takes memory only while one of its tasks runs or waits. */
export function createKeyedMutex(): KeyedMutex {
  const tails = new Map<string, Promise<void>>()
  return {
    async run(key, task, signal) {
      const previous = tails.get(key)
      let release!: () => void
      const finished = new Promise<void>((resolve) => {
        release = resolve
      })
      const tail = previous ? previous.then(() => finished) : finished
      tails.set(key, tail)
      void tail.then(() => {
        if (tails.get(key) === tail) tails.delete(key)
      })
      try {
        signal?.throwIfAborted()
        if (previous) await raceAbort(previous, signal)
        return await task()
      } finally {
        release()
      }
    },
  }
}

/** Shares one execution among concurrent callers. */
export interface SingleFlight<T> {
  /**
   * Joins the execution that is running for the key, or starts the task. The signal of the task is aborted when all callers have aborted;
   * the next caller then starts a new execution.
   *
   * @throws the abort reason of the caller's own signal; whatever the task throws.
   */
  run(key: string, task: (signal: AbortSignal) => Promise<T>, source?: AbortSource): Promise<T>
  /** Joins the execution that is running for the key. Returns `undefined` if there is none. */
  join(key: string, source?: AbortSource): Promise<T> | undefined
}

interface Execution<T> {
  readonly key: string
  readonly result: Promise<T>
  readonly controller: AbortController
  callers: number
}

export function createSingleFlight<T>(): SingleFlight<T> {
  const executions = new Map<string, Execution<T>>()
  const remove = (execution: Execution<T>): boolean =>
    executions.get(execution.key) === execution && executions.delete(execution.key)
  const wait = async (execution: Execution<T>, source: AbortSource | undefined): Promise<T> => {
    execution.callers++
    try {
      return await raceAbort(execution.result, source)
    } finally {
      if (--execution.callers === 0 && remove(execution)) execution.controller.abort(source?.signal?.reason)
    }
  }

  return {
    run(key, task, source) {
      const running = executions.get(key)
      if (running) return wait(running, source)
      const controller = new AbortController()
      const execution: Execution<T> = { key, result: task(controller.signal), controller, callers: 0 }
      const finish = (): void => void remove(execution)
      executions.set(key, execution)
      execution.result.then(finish, finish)
      return wait(execution, source)
    },
    join(key, source) {
      const execution = executions.get(key)
      return execution && wait(execution, source)
    },
  }
}

/** A task that runs once. A failed run is forgotten, so that the next call tries again. */
export interface RetryableOnce<T, A extends readonly unknown[]> {
  /** Returns the result of the one run, which is started with the arguments of the first call. */
  run(...args: A): Promise<T>
  /** Forgets the result. */
  reset(): void
}

export function retryableOnce<T, A extends readonly unknown[] = []>(task: (...args: A) => Promise<T>): RetryableOnce<T, A> {
  let result: Promise<T> | undefined
  return {
    run(...args) {
      if (!result) {
        const started = task(...args)
        result = started
        started.catch(() => {
          if (result === started) result = undefined
        })
      }
      return result
    },
    reset() {
      result = undefined
    },
  }
}
