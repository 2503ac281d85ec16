import { type EventLog, type LogEntry, UnknownPositionError } from '../../stores/log.ts'
import { runWithSeed } from '../seeded-random.ts'
import { assertEqual, type ContractCase, wait } from './contract.ts'

const KEYS = ['a', 'b', 'c']
const STEPS = 300

/** Compares random operations on a log with the same operations on arrays, and reads a log while it is written. */
export const logModelCases: Record<string, ContractCase<EventLog>> = {
  'log: random operations behave as on arrays': (log) =>
    runWithSeed(async (random) => {
      const lists = new Map<string, LogEntry[]>()
      const deleted: [key: string, position: string][] = []
      for (let step = 0; step < STEPS; step++) {
        const key = random.pick(KEYS)
        const list = lists.get(key) ?? []
        const operation = random.number(8)
        if (operation === 0) {
          await log.delete(key)
          for (const { position } of list) deleted.push([key, position])
          lists.delete(key)
        } else if (operation < 6) {
          const data = `${key} ${step}`
          lists.set(key, [...list, { position: await log.append(key, data), data }])
        } else {
          const from = random.number(list.length + 1)
          assertEqual(await log.read(key, list[from - 1]?.position), list.slice(from))
        }
      }
      for (const [key, position] of deleted.slice(-20)) assertEqual(await isUnknown(log, key, position), true)
    }),
  'log: a concurrent reader receives each entry once, in order': async (log) => {
    const expected = Array.from({ length: 200 }, (_, index) => `entry ${index}`)
    const entries: LogEntry[] = []
    let isWritten = false
    const writing = (async () => {
      for (let start = 0; start < expected.length; start += 10)
        await Promise.all(expected.slice(start, start + 10).map((data) => log.append('key', data)))
      isWritten = true
    })()
    while (!isWritten || entries.length < expected.length) {
      const wasWritten = isWritten
      const read = await log.read('key', entries.at(-1)?.position)
      entries.push(...read)
      if (wasWritten && read.length === 0) break
      await wait(1)
    }
    await writing
    assertEqual(
      entries.map(({ data }) => data),
      expected,
    )
  },
}

const isUnknown = (log: EventLog, key: string, position: string): Promise<boolean> =>
  log.read(key, position).then(
    () => false,
    (error) => error instanceof UnknownPositionError,
  )
