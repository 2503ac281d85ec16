import type { ProcessOptions, TaskProcessor, TaskQueue } from '../../tasks/queues/queue.ts'
import { assertEqual, type ContractCase, eventually, runCases, type TestFramework, wait } from './contract.ts'

/** Opens another instance on the queue of a test, as another process would. */
export type OpenQueue = () => TaskQueue

/** Registers the tests that every `TaskQueue` must pass. Each test has its own queue; the instances that it opens are closed after it. */
export function queueContract(framework: TestFramework<OpenQueue>): void {
  const cases = Object.entries({ ...delivery, ...redelivery, ...limits }).map(([name, body]) => [name, closeAfter(body)])
  runCases(framework, undefined, Object.fromEntries(cases))
}

type TestBody = (open: OpenQueue) => Promise<void>

/** Time that a queue may take to deliver. */
const DELIVERY_TIMEOUT_S = 45
const HOUR = { ttlMs: 3_600_000 }

/** Closes the queues that a test has opened. */
function closeAfter(body: TestBody): ContractCase<OpenQueue> {
  return async (open) => {
    const queues: TaskQueue[] = []
    try {
      await body(() => {
        const queue = open()
        queues.push(queue)
        return queue
      })
    } finally {
      await Promise.all(queues.map((queue) => queue.close()))
    }
  }
}

interface Worker {
  /** The delivered references, in order. */
  readonly delivered: string[]
  readonly errors: unknown[]
  /** The number of references that are being processed. */
  readonly running: number
}

/** Processes the deliveries of a queue, and records them. */
async function startWorker(
  queue: TaskQueue,
  process: TaskProcessor = async () => 'done',
  options: Partial<ProcessOptions> = {},
): Promise<Worker> {
  const worker = { delivered: [] as string[], errors: [] as unknown[], running: 0 }
  const recorded: TaskProcessor = async (ref) => {
    worker.delivered.push(ref)
    worker.running++
    try {
      return await process(ref)
    } finally {
      worker.running--
    }
  }
  await queue.process(recorded, { concurrency: 8, onError: (error) => worker.errors.push(error), ...options })
  return worker
}

/** Creates a processor that does not finish until `finish` is called. */
function createBlockedProcessor(): { readonly process: TaskProcessor; finish(): void } {
  let finish = (): void => {}
  const finished = new Promise<void>((resolve) => void (finish = resolve))
  return { process: () => finished.then(() => 'done'), finish: () => finish() }
}

const until = (condition: () => boolean): Promise<void> => eventually(condition, DELIVERY_TIMEOUT_S)

const delivery: Record<string, TestBody> = {
  'queue: an enqueued task is delivered once': async (open) => {
    const queue = open()
    const worker = await startWorker(queue)
    const refs = ['-/a', 'kEy_-9/b', `${'x'.repeat(43)}/${'y'.repeat(24)}`]
    for (const ref of refs) await queue.enqueue(ref, HOUR)
    await until(() => worker.delivered.length >= refs.length)
    await wait(500)
    assertEqual([...worker.delivered].sort(), [...refs].sort())
    assertEqual(worker.errors, [])
  },
  'queue: a task that was enqueued without a worker is delivered to a later one': async (open) => {
    const [first, second] = [open(), open()]
    await first.enqueue('-/early', HOUR)
    await first.close()
    const worker = await startWorker(second)
    await until(() => worker.delivered.length > 0)
    assertEqual(worker.delivered, ['-/early'])
  },
  'queue: several workers share the tasks that another process enqueues': async (open) => {
    const producer = open()
    const workers = [await startWorker(open()), await startWorker(open())]
    const refs = Array.from({ length: 60 }, (_, index) => `-/${index}`)
    await Promise.all(refs.map((ref) => producer.enqueue(ref, HOUR)))
    const delivered = (): string[] => workers.flatMap((worker) => worker.delivered)
    await until(() => new Set(delivered()).size === refs.length)
    assertEqual([...new Set(delivered())].sort(), [...refs].sort())
  },
  'queue: a task that is enqueued again while it is processed is delivered again': async (open) => {
    const queue = open()
    const { process, finish } = createBlockedProcessor()
    const worker = await startWorker(queue, process)
    await queue.enqueue('-/twice', HOUR)
    await until(() => worker.delivered.length === 1)
    await queue.enqueue('-/twice', HOUR)
    finish()
    await until(() => worker.delivered.length >= 2)
    assertEqual(new Set(worker.delivered).size, 1)
  },
}

const redelivery: Record<string, TestBody> = {
  'queue: a task to retry is delivered again, with increasing delays, and does not block others': async (open) => {
    const queue = open()
    const deliveries = new Map<string, number[]>()
    const timesOf = (ref: string): number[] => deliveries.get(ref) ?? []
    const worker = await startWorker(queue, async (ref) => {
      if (ref === '-/other') return 'done'
      const times = [...timesOf(ref), performance.now()]
      deliveries.set(ref, times)
      return times.length < 6 ? 'retry' : 'done'
    })
    await queue.enqueue('-/retried', HOUR)
    await until(() => timesOf('-/retried').length >= 2)
    await queue.enqueue('-/other', HOUR)
    await until(() => timesOf('-/retried').length >= 6 && worker.delivered.includes('-/other'))
    const [first = 0, , third = 0, fourth = 0, , sixth = 0] = timesOf('-/retried')
    let shortest = third - first
    // On a stalled machine the first delays are too long: then the first delays of other tasks are measured.
    for (let attempt = 1; attempt <= 5 && 2 * shortest > sixth - fourth; attempt++) {
      const ref = `-/retried${attempt}`
      await queue.enqueue(ref, HOUR)
      await until(() => timesOf(ref).length >= 3)
      const [start = 0, , end = 0] = timesOf(ref)
      shortest = Math.min(shortest, end - start)
    }
    assertEqual(2 * shortest <= sixth - fourth, true)
    assertEqual(worker.errors, [])
  },
  'queue: an error of the processor is reported, and the task is delivered again': async (open) => {
    const queue = open()
    let runs = 0
    const worker = await startWorker(queue, async () => {
      if (++runs < 3) throw new Error('the processor failed')
      return 'done'
    })
    await queue.enqueue('-/failing', HOUR)
    await until(() => runs >= 3)
    assertEqual(
      worker.errors.map((error) => (error instanceof Error ? error.message : error)),
      ['the processor failed', 'the processor failed'],
    )
    await wait(500)
    assertEqual(runs, 3)
  },
  'queue: a task that one process retries can be delivered to another': async (open) => {
    const [first, second] = [open(), open()]
    const retrying = await startWorker(first, async () => 'retry')
    await first.enqueue('-/moved', HOUR)
    await until(() => retrying.delivered.length > 0)
    await first.close()
    const worker = await startWorker(second)
    await until(() => worker.delivered.length > 0)
    assertEqual(worker.delivered, ['-/moved'])
  },
}

const limits: Record<string, TestBody> = {
  'queue: processes at most `concurrency` tasks at a time': async (open) => {
    const queue = open()
    const { process, finish } = createBlockedProcessor()
    const worker = await startWorker(queue, process, { concurrency: 3 })
    for (let index = 0; index < 7; index++) await queue.enqueue(`-/${index}`, HOUR)
    await until(() => worker.running === 3)
    await wait(500)
    assertEqual([worker.running, worker.delivered.length], [3, 3])
    finish()
    await until(() => new Set(worker.delivered).size === 7)
  },
  'queue: closing waits for running tasks, delivers no more, and leaves the others to other processes': async (open) => {
    const [first, second] = [open(), open()]
    const { process, finish } = createBlockedProcessor()
    const worker = await startWorker(first, process, { concurrency: 1 })
    await first.enqueue('-/running', HOUR)
    await until(() => worker.running === 1)
    await first.enqueue('-/waiting', HOUR)
    let isClosed = false
    const closing = first.close().then(() => void (isClosed = true))
    await wait(200)
    assertEqual(isClosed, false)
    finish()
    await closing
    assertEqual(worker.delivered, ['-/running'])
    const successor = await startWorker(second)
    await until(() => successor.delivered.includes('-/waiting'))
    assertEqual(successor.delivered.filter((ref) => ref !== '-/waiting').length, 0)
  },
  'queue: an unused instance can be closed': async (open) => {
    const queue = open()
    await queue.close()
    await queue.close()
  },
}
