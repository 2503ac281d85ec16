import type { TaskEngine, Work, WorkOptions } from '../tasks.ts'
import { type Case, equal, eventually, run, type Suite, wait } from './contract.ts'

/** Opens one more engine on the queue of a test, as another process would. */
export type OpenEngine = () => TaskEngine

/** Tests of `TaskEngine`. Each has a queue of its own; engines that it opens are closed by it. */
export function engineContract(suite: Suite<OpenEngine>): void {
  const cases = Object.entries({ ...delivery, ...again, ...bounds }).map(([name, body]) => [name, closing(body)])
  run(suite, undefined, Object.fromEntries(cases))
}

type Body = (open: OpenEngine) => Promise<void>

/** How long an engine may take to do what it does in the end. */
const PATIENCE_S = 45
const HOUR = { ttlMs: 3_600_000 }

/** Closes what was opened. */
function closing(body: Body): Case<OpenEngine> {
  return async (open) => {
    const opened: TaskEngine[] = []
    try {
      await body(() => {
        const engine = open()
        opened.push(engine)
        return engine
      })
    } finally {
      await Promise.all(opened.map((engine) => engine.close()))
    }
  }
}

interface Worker {
  /** What was delivered, in order. */
  readonly seen: string[]
  readonly errors: unknown[]
  /** How much is worked on. */
  readonly running: number
}

/** Lets an engine work, and writes down what it delivers. */
async function employ(engine: TaskEngine, work: Work = async () => 'done', options: Partial<WorkOptions> = {}): Promise<Worker> {
  const worker = { seen: [] as string[], errors: [] as unknown[], running: 0 }
  const noted: Work = async (ref) => {
    worker.seen.push(ref)
    worker.running++
    try {
      return await work(ref)
    } finally {
      worker.running--
    }
  }
  await engine.work(noted, { concurrency: 8, onError: (error) => worker.errors.push(error), ...options })
  return worker
}

/** Work that lasts until it is told to end. */
function lasting(): { readonly work: Work; end(): void } {
  let end = (): void => {}
  const ended = new Promise<void>((resolve) => void (end = resolve))
  return { work: () => ended.then(() => 'done'), end: () => end() }
}

const until = (condition: () => boolean): Promise<void> => eventually(condition, PATIENCE_S)

const delivery: Record<string, Body> = {
  'engine: what is added is delivered, and what is done is not delivered again': async (open) => {
    const engine = open()
    const worker = await employ(engine)
    const refs = ['-/a', 'kEy_-9/b', `${'x'.repeat(43)}/${'y'.repeat(24)}`]
    for (const ref of refs) await engine.add(ref, HOUR)
    await until(() => worker.seen.length >= refs.length)
    await wait(500)
    equal([...worker.seen].sort(), [...refs].sort())
    equal(worker.errors, [])
  },
  'engine: what was added before anybody works is delivered when somebody does': async (open) => {
    const [first, second] = [open(), open()]
    await first.add('-/early', HOUR)
    await first.close()
    const worker = await employ(second)
    await until(() => worker.seen.length > 0)
    equal(worker.seen, ['-/early'])
  },
  'engine: one process takes in, others work; between them they get everything once': async (open) => {
    const taking = open()
    const workers = [await employ(open()), await employ(open())]
    const refs = Array.from({ length: 60 }, (_, at) => `-/${at}`)
    await Promise.all(refs.map((ref) => taking.add(ref, HOUR)))
    const seen = (): string[] => workers.flatMap((worker) => worker.seen)
    await until(() => new Set(seen()).size === refs.length)
    equal([...new Set(seen())].sort(), [...refs].sort())
  },
  'engine: what is added again while it is worked on is delivered again': async (open) => {
    const engine = open()
    const { work, end } = lasting()
    const worker = await employ(engine, work)
    await engine.add('-/twice', HOUR)
    await until(() => worker.seen.length === 1)
    await engine.add('-/twice', HOUR)
    end()
    await until(() => worker.seen.length >= 2)
    equal(new Set(worker.seen).size, 1)
  },
}

const again: Record<string, Body> = {
  'engine: later is delivered again, less and less often, and holds up nobody': async (open) => {
    const engine = open()
    const deliveries = new Map<string, number[]>()
    const timesOf = (ref: string): number[] => deliveries.get(ref) ?? []
    const worker = await employ(engine, async (ref) => {
      if (ref === '-/other') return 'done'
      const times = [...timesOf(ref), performance.now()]
      deliveries.set(ref, times)
      return times.length < 6 ? 'later' : 'done'
    })
    await engine.add('-/later', HOUR)
    await until(() => timesOf('-/later').length >= 2)
    await engine.add('-/other', HOUR)
    await until(() => timesOf('-/later').length >= 6 && worker.seen.includes('-/other'))
    const [first = 0, , third = 0, fourth = 0, , sixth = 0] = timesOf('-/later')
    let soon = third - first
    // A machine that stood still has made the first pauses long: those of others are looked at then.
    for (let more = 1; more <= 5 && 2 * soon > sixth - fourth; more++) {
      const ref = `-/later${more}`
      await engine.add(ref, HOUR)
      await until(() => timesOf(ref).length >= 3)
      const [begun = 0, , again = 0] = timesOf(ref)
      soon = Math.min(soon, again - begun)
    }
    equal(2 * soon <= sixth - fourth, true)
    equal(worker.errors, [])
  },
  'engine: work that throws is told of and delivered again': async (open) => {
    const engine = open()
    let runs = 0
    const worker = await employ(engine, async () => {
      if (++runs < 3) throw new Error('it does not work')
      return 'done'
    })
    await engine.add('-/bad', HOUR)
    await until(() => runs >= 3)
    equal(
      worker.errors.map((error) => (error instanceof Error ? error.message : error)),
      ['it does not work', 'it does not work'],
    )
    await wait(500)
    equal(runs, 3)
  },
  'engine: what one process puts off another one gets': async (open) => {
    const [first, second] = [open(), open()]
    const refusing = await employ(first, async () => 'later')
    await first.add('-/moved', HOUR)
    await until(() => refusing.seen.length > 0)
    await first.close()
    const worker = await employ(second)
    await until(() => worker.seen.length > 0)
    equal(worker.seen, ['-/moved'])
  },
}

const bounds: Record<string, Body> = {
  'engine: works on as much as it may at a time, and on no more': async (open) => {
    const engine = open()
    const { work, end } = lasting()
    const worker = await employ(engine, work, { concurrency: 3 })
    for (let at = 0; at < 7; at++) await engine.add(`-/${at}`, HOUR)
    await until(() => worker.running === 3)
    await wait(500)
    equal([worker.running, worker.seen.length], [3, 3])
    end()
    await until(() => new Set(worker.seen).size === 7)
  },
  'engine: closing waits for what was begun, delivers no more, and leaves the rest to others': async (open) => {
    const [first, second] = [open(), open()]
    const { work, end } = lasting()
    const worker = await employ(first, work, { concurrency: 1 })
    await first.add('-/begun', HOUR)
    await until(() => worker.running === 1)
    await first.add('-/left', HOUR)
    let closed = false
    const closing = first.close().then(() => void (closed = true))
    await wait(200)
    equal(closed, false)
    end()
    await closing
    equal(worker.seen, ['-/begun'])
    const heir = await employ(second)
    await until(() => heir.seen.includes('-/left'))
    equal(heir.seen.filter((ref) => ref !== '-/left').length, 0)
  },
  'engine: one that was never used closes': async (open) => {
    const engine = open()
    await engine.close()
    await engine.close()
  },
}
