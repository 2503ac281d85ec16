import { type EventLog, UnknownPositionError } from '../../stores/log.ts'
import { assertEqual, type ContractCase, EDGE_CASE_STRINGS, runCases, type TestFramework } from './contract.ts'
import { logModelCases } from './log-model.ts'

/** The limits of the log that `create` must return. */
export interface LogBounds {
  /** Entries of one log; appending more removes the oldest. */
  maxEntries: number
}

/** Registers the tests that every `EventLog` must pass. */
export function logContract(framework: TestFramework<EventLog, LogBounds>): void {
  runCases(framework, { maxEntries: 1000 }, { ...logOrder, ...logModelCases })
  runCases(framework, { maxEntries: 5 }, logTrimming)
}

/** Returns the data of the entries after a position, or `unknown` for an unknown position. */
async function readData(log: EventLog, key: string, after?: string): Promise<string[] | 'unknown'> {
  try {
    return (await log.read(key, after)).map(({ data }) => data)
  } catch (error) {
    if (error instanceof UnknownPositionError) return 'unknown'
    throw error
  }
}

const logOrder: Record<string, ContractCase<EventLog>> = {
  'log: an absent log has no entries': async (log) => {
    assertEqual(await readData(log, 'absent'), [])
    await log.delete('absent')
  },
  'log: entries are read in order, after any position': async (log) => {
    const data = Array.from({ length: 30 }, (_, index) => `entry ${index}`)
    const positions = await Promise.all(data.map((entry) => log.append('key', entry)))
    assertEqual(new Set(positions).size, data.length)
    assertEqual(await readData(log, 'key'), data)
    for (const [index, position] of positions.entries()) assertEqual(await readData(log, 'key', position), data.slice(index + 1))
    assertEqual(
      (await log.read('key')).map(({ position }) => position),
      positions,
    )
  },
  'log: positions are short and printable': async (log) => {
    for (const key of EDGE_CASE_STRINGS) assertEqual(/^[!-~]{1,64}$/.test(await log.append(key, 'x')), true)
  },
  'log: any string is a valid key and entry': async (log) => {
    for (const text of [...EDGE_CASE_STRINGS, '']) await log.append(`key ${text}`, text)
    for (const text of [...EDGE_CASE_STRINGS, '']) assertEqual(await readData(log, `key ${text}`), [text])
  },
  'log: concurrent appends to several logs keep the order of each': async (log) => {
    const expected = Array.from({ length: 60 }, (_, index) => `${index} ${'x'.repeat((index * 997) % 5000)}`)
    await Promise.all(expected.flatMap((data) => ['a', 'b', 'c'].map((key) => log.append(key, data))))
    for (const key of ['a', 'b', 'c']) assertEqual(await readData(log, key), expected)
  },
  'log: positions of other logs are unknown': async (log) => {
    const [mine, other] = [await log.append('mine', 'a'), await log.append('other', 'b')]
    assertEqual(await readData(log, 'mine', other), 'unknown')
    assertEqual(await readData(log, 'absent', mine), 'unknown')
    for (const bogus of ['', '0', '-', '1-1', `${mine}0`, `${mine} `, ...EDGE_CASE_STRINGS, 'x'.repeat(9000)])
      assertEqual(await readData(log, 'mine', bogus), 'unknown')
  },
  'log: a deleted log is empty, and its positions are unknown afterwards': async (log) => {
    const before = await log.append('key', 'a')
    await log.delete('key')
    assertEqual([await readData(log, 'key'), await readData(log, 'key', before)], [[], 'unknown'])
    const after = await log.append('key', 'b')
    assertEqual([await readData(log, 'key'), await readData(log, 'key', before)], [['b'], 'unknown'])
    assertEqual(await readData(log, 'key', after), [])
  },
}

const logTrimming: Record<string, ContractCase<EventLog>> = {
  'log: the oldest entries are removed above the limit, and reading never skips an entry': async (log) => {
    const data = Array.from({ length: 40 }, (_, index) => `entry ${index}`)
    const positions: string[] = []
    for (const entry of data) positions.push(await log.append('key', entry))
    assertEqual(await readData(log, 'key'), data.slice(-5))
    for (const [index, position] of positions.entries()) {
      const read = await readData(log, 'key', position)
      if (index >= 35) assertEqual(read, data.slice(index + 1))
      else if (index < 34 || read !== 'unknown') assertEqual(read, index < 34 ? 'unknown' : data.slice(index + 1))
    }
  },
}
