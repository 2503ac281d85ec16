/** Returns the number of tasks or requests in a queue, or nothing if it is not known. */
export type ReadQueueSize = () => number | undefined | Promise<number | undefined>

/** The queues of a process, by name. */
export interface QueueSizes {
  /** Adds a queue, or replaces the one with this name. Returns a function that removes it. */
  add(name: string, read: ReadQueueSize): () => void
  /** Reads all sizes. Queues whose size is not known, or cannot be read, are left out. */
  read(): Promise<readonly (readonly [name: string, size: number])[]>
}

/** Creates an empty set of queues. */
export function createQueueSizes(): QueueSizes {
  const queues = new Map<string, ReadQueueSize>()
  return {
    add(name, read) {
      queues.set(name, read)
      return () => void (queues.get(name) === read && queues.delete(name))
    },
    async read() {
      const reading = [...queues].map(async ([name, read]) => [name, await read()] as const)
      const settled = await Promise.allSettled(reading)
      return settled.flatMap((result) => {
        if (result.status === 'rejected') return []
        const [name, size] = result.value
        return size === undefined ? [] : [[name, size] as const]
      })
    },
  }
}
