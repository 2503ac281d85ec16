import { StoreUnavailableError } from '../errors.ts'

export interface BatcherOptions<T, R> {
  /**
   * Sends a batch. Resolves to the results in the order of the items, with an `Error` for an item that failed. If it rejects, all items have
   * failed.
   */
  send(items: T[]): Promise<Array<R | Error>>
  /** Maximum number of batches in flight. With 1, items are processed in the order in which they were added. Default: no limit. */
  concurrency?: number
}

/** Limits of the items that are queued or in flight, and of one batch. */
const BATCHER_LIMITS = { maxItems: 10_000, maxBytes: 67_108_864, maxBatch: 1000 } as const

/** Can wait for its pending operations. */
export interface Idle {
  /** Resolves when no operations are queued or in flight. */
  idle(): Promise<void>
}

/** Sends items that are added in one turn of the event loop together. */
export interface Batcher<T, R> extends Idle {
  /**
   * Adds an item of about `bytes` bytes. Resolves to its result.
   *
   * @throws StoreUnavailableError when too many items or bytes are queued.
   */
  add(item: T, bytes: number): Promise<R>
}

interface PendingItem<T, R> {
  item: T
  bytes: number
  resolve(result: R): void
  reject(error: unknown): void
}

export function createBatcher<T, R>({ send, concurrency = Infinity }: BatcherOptions<T, R>): Batcher<T, R> {
  const { maxItems, maxBytes, maxBatch } = BATCHER_LIMITS
  const idleListeners: Array<() => void> = []
  let queue: PendingItem<T, R>[] = []
  let batchesInFlight = 0
  let pendingItems = 0
  let pendingBytes = 0
  let isFlushScheduled = false

  const settle = (batch: PendingItem<T, R>[], resultOf: (index: number) => R | Error): void => {
    batchesInFlight--
    for (const [index, item] of batch.entries()) {
      pendingItems--
      pendingBytes -= item.bytes
      const result = resultOf(index)
      if (result instanceof Error) item.reject(result)
      else item.resolve(result)
    }
    flush()
    if (pendingItems === 0) for (const resolve of idleListeners.splice(0)) resolve()
  }
  const sendBatch = (batch: PendingItem<T, R>[]): void => {
    batchesInFlight++
    send(batch.map(({ item }) => item)).then(
      (results) => settle(batch, (index) => results[index] ?? (results[index] as R)),
      (error: unknown) => settle(batch, () => (error instanceof Error ? error : new Error(String(error)))),
    )
  }
  const flush = (): void => {
    isFlushScheduled = false
    while (queue.length > 0 && batchesInFlight < concurrency) {
      const batch = queue.slice(0, maxBatch)
      queue = queue.slice(maxBatch)
      sendBatch(batch)
    }
  }

  return {
    add(item, bytes) {
      if (pendingItems >= maxItems || (pendingItems > 0 && pendingBytes + bytes > maxBytes))
        return Promise.reject(
          new StoreUnavailableError(`Too many operations are waiting for the server: ${pendingItems} with ${pendingBytes} bytes`),
        )
      pendingItems++
      pendingBytes += bytes
      if (!isFlushScheduled) queueMicrotask(flush)
      isFlushScheduled = true
      return new Promise((resolve, reject) => void queue.push({ item, bytes, resolve, reject }))
    },
    idle: () => (pendingItems === 0 ? Promise.resolve() : new Promise((resolve) => void idleListeners.push(resolve))),
  }
}
