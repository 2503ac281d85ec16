import type { TaskQueue } from 'portcall/tasks'

interface Entry {
  readonly ref: string
  readonly attempts: number
  readonly dueAt: number
}

/** Creates queues that share their entries, as the processes of one service do. */
export function createSharedQueue(): () => TaskQueue {
  const entries = new Set<Entry>()

  return () => {
    const running = new Set<Promise<void>>()
    let timer: NodeJS.Timeout | undefined
    return {
      async enqueue(ref) {
        entries.add({ ref, attempts: 0, dueAt: 0 })
      },
      async process(processor, { concurrency, onError }) {
        const work = async (entry: Entry): Promise<void> => {
          const outcome = await processor(entry.ref).catch(onError)
          const attempts = entry.attempts + 1
          if (outcome !== 'done')
            entries.add({ ref: entry.ref, attempts, dueAt: Date.now() + Math.min(20 * 2 ** attempts, 60_000) })
        }
        timer = setInterval(() => {
          for (const entry of entries) {
            if (running.size >= concurrency) break
            if (entry.dueAt > Date.now()) continue
            entries.delete(entry)
            const job = work(entry).finally(() => running.delete(job))
            running.add(job)
          }
        }, 10)
      },
      async close() {
        clearInterval(timer)
        await Promise.all(running)
      },
    }
  }
}
