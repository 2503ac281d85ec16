import { type Log, UnknownPosition } from '../stores/log.ts'
import { type Case, equal, run, STRANGE, type Suite } from './contract.ts'
import { logWalk } from './log-walk.ts'

/** How a log is to be bounded for these tests. */
export interface LogBounds {
  maxEntries: number
}

/** Tests of `Log`; the logs made for them keep `maxEntries` entries each. */
export function logContract(suite: Suite<Log, LogBounds>): void {
  run(suite, { maxEntries: 1000 }, { ...logOrder, ...logWalk })
  run(suite, { maxEntries: 5 }, logTrimming)
}

/** Reads, with a mark in place of the entries when the position is unknown. */
async function readData(log: Log, key: string, after?: string): Promise<string[] | 'unknown'> {
  try {
    return (await log.read(key, after)).map(({ data }) => data)
  } catch (error) {
    if (error instanceof UnknownPosition) return 'unknown'
    throw error
  }
}

const logOrder: Record<string, Case<Log>> = {
  'log: an absent log has no entries': async (log) => {
    equal(await readData(log, 'absent'), [])
    await log.delete('absent')
  },
  'log: entries come back in order, after any position': async (log) => {
    const data = Array.from({ length: 30 }, (_, at) => `entry ${at}`)
    const positions = await Promise.all(data.map((entry) => log.append('key', entry)))
    equal(new Set(positions).size, data.length)
    equal(await readData(log, 'key'), data)
    for (const [at, position] of positions.entries()) equal(await readData(log, 'key', position), data.slice(at + 1))
    equal(
      (await log.read('key')).map(({ position }) => position),
      positions,
    )
  },
  'log: positions are short and printable': async (log) => {
    for (const key of STRANGE) equal(/^[!-~]{1,64}$/.test(await log.append(key, 'x')), true)
  },
  'log: any string is a key and an entry': async (log) => {
    for (const text of [...STRANGE, '']) await log.append(`key ${text}`, text)
    for (const text of [...STRANGE, '']) equal(await readData(log, `key ${text}`), [text])
  },
  'log: entries that are appended at once to several logs are in order in each': async (log) => {
    const wanted = Array.from({ length: 60 }, (_, at) => `${at} ${'x'.repeat((at * 997) % 5000)}`)
    await Promise.all(wanted.flatMap((data) => ['a', 'b', 'c'].map((key) => log.append(key, data))))
    for (const key of ['a', 'b', 'c']) equal(await readData(log, key), wanted)
  },
  'log: positions that are not of this log are unknown': async (log) => {
    const [mine, other] = [await log.append('mine', 'a'), await log.append('other', 'b')]
    equal(await readData(log, 'mine', other), 'unknown')
    equal(await readData(log, 'absent', mine), 'unknown')
    for (const bogus of ['', '0', '-', '1-1', `${mine}0`, `${mine} `, ...STRANGE, 'x'.repeat(9000)])
      equal(await readData(log, 'mine', bogus), 'unknown')
  },
  'log: a deleted log is empty, and its positions are unknown in the next one': async (log) => {
    const before = await log.append('key', 'a')
    await log.delete('key')
    equal([await readData(log, 'key'), await readData(log, 'key', before)], [[], 'unknown'])
    const after = await log.append('key', 'b')
    equal([await readData(log, 'key'), await readData(log, 'key', before)], [['b'], 'unknown'])
    equal(await readData(log, 'key', after), [])
  },
}

const logTrimming: Record<string, Case<Log>> = {
  'log: keeps its bound, trims from the front, and never shows a gap': async (log) => {
    const data = Array.from({ length: 40 }, (_, at) => `entry ${at}`)
    const positions: string[] = []
    for (const entry of data) positions.push(await log.append('key', entry))
    equal(await readData(log, 'key'), data.slice(-5))
    for (const [at, position] of positions.entries()) {
      const found = await readData(log, 'key', position)
      if (at >= 35) equal(found, data.slice(at + 1))
      else if (at < 34 || found !== 'unknown') equal(found, at < 34 ? 'unknown' : data.slice(at + 1))
    }
  },
}
