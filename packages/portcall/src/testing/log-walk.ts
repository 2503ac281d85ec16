import { type Log, type LogEntry, UnknownPosition } from '../stores/log.ts'
import { type Case, equal, wait } from './contract.ts'
import { walk } from './random.ts'

const KEYS = ['a', 'b', 'c']
const STEPS = 300

/** Any operations in any order leave what plain lists would hold, and who reads along misses nothing. */
export const logWalk: Record<string, Case<Log>> = {
  'log: any operations agree with plain lists': (log) =>
    walk(async (random) => {
      const lists = new Map<string, LogEntry[]>()
      const gone: [key: string, position: string][] = []
      for (let step = 0; step < STEPS; step++) {
        const key = random.pick(KEYS)
        const list = lists.get(key) ?? []
        const act = random.number(8)
        if (act === 0) {
          await log.delete(key)
          for (const { position } of list) gone.push([key, position])
          lists.delete(key)
        } else if (act < 6) {
          const data = `${key} ${step}`
          lists.set(key, [...list, { position: await log.append(key, data), data }])
        } else {
          const from = random.number(list.length + 1)
          equal(await log.read(key, list[from - 1]?.position), list.slice(from))
        }
      }
      for (const [key, position] of gone.slice(-20)) equal(await isUnknown(log, key, position), true)
    }),
  'log: who reads while others write gets each entry once, in order': async (log) => {
    const wanted = Array.from({ length: 200 }, (_, at) => `entry ${at}`)
    const seen: LogEntry[] = []
    let isWritten = false
    const writing = (async () => {
      for (let at = 0; at < wanted.length; at += 10)
        await Promise.all(wanted.slice(at, at + 10).map((data) => log.append('key', data)))
      isWritten = true
    })()
    while (!isWritten || seen.length < wanted.length) {
      const before = isWritten
      const found = await log.read('key', seen.at(-1)?.position)
      seen.push(...found)
      if (before && found.length === 0) break
      await wait(1)
    }
    await writing
    equal(
      seen.map(({ data }) => data),
      wanted,
    )
  },
}

const isUnknown = (log: Log, key: string, position: string): Promise<boolean> =>
  log.read(key, position).then(
    () => false,
    (error) => error instanceof UnknownPosition,
  )
