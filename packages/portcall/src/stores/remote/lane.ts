import { StoreUnavailable } from '../unavailable.ts'

export interface LaneOptions<T, R> {
  /** Sends a batch; its results in the order of the items, an `Error` for one that failed. When it rejects, all have failed. */
  send(items: T[]): Promise<Array<R | Error>>
  /** Batches under way at once. With 1, what is added later is never done before what was added earlier. Default: any number. */
  flights?: number
}

/** Items that wait and are under way. */
export const LANE_LIMITS = { maxItems: 10_000, maxBytes: 67_108_864, maxBatch: 1000 } as const

/** A way to a server where what is asked for in one turn travels together. */
export interface Lane<T, R> {
  /** Adds an item of about so many bytes. Rejects with `StoreUnavailable` when too much waits. */
  add(item: T, bytes: number): Promise<R>
  /** Resolves when nothing waits and nothing is under way. */
  idle(): Promise<void>
}

interface Waiting<T, R> {
  item: T
  bytes: number
  resolve(result: R): void
  reject(error: unknown): void
}

export function createLane<T, R>({ send, flights = Infinity }: LaneOptions<T, R>): Lane<T, R> {
  const { maxItems, maxBytes, maxBatch } = LANE_LIMITS
  const onIdle: Array<() => void> = []
  let queue: Waiting<T, R>[] = []
  let underWay = 0
  let items = 0
  let bytes = 0
  let scheduled = false

  const settle = (batch: Waiting<T, R>[], resultOf: (at: number) => R | Error): void => {
    underWay--
    for (const [at, waiting] of batch.entries()) {
      items--
      bytes -= waiting.bytes
      const result = resultOf(at)
      if (result instanceof Error) waiting.reject(result)
      else waiting.resolve(result)
    }
    flush()
    if (items === 0) for (const resolve of onIdle.splice(0)) resolve()
  }
  const fly = (batch: Waiting<T, R>[]): void => {
    underWay++
    send(batch.map(({ item }) => item)).then(
      (results) => settle(batch, (at) => results[at] ?? (results[at] as R)),
      (error: unknown) => settle(batch, () => (error instanceof Error ? error : new Error(String(error)))),
    )
  }
  const flush = (): void => {
    scheduled = false
    while (queue.length > 0 && underWay < flights) {
      const batch = queue.slice(0, maxBatch)
      queue = queue.slice(maxBatch)
      fly(batch)
    }
  }

  return {
    add(item, size) {
      if (items >= maxItems || (items > 0 && bytes + size > maxBytes))
        return Promise.reject(new StoreUnavailable(`Too much waits to be stored: ${items} operations, ${bytes} bytes`))
      items++
      bytes += size
      if (!scheduled) queueMicrotask(flush)
      scheduled = true
      return new Promise((resolve, reject) => void queue.push({ item, bytes: size, resolve, reject }))
    },
    idle: () => (items === 0 ? Promise.resolve() : new Promise((resolve) => void onIdle.push(resolve))),
  }
}
