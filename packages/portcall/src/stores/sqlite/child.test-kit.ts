/* What the tests start as processes of their own: `node child.mjs WHAT FILE …`. It says with a line on stdout what was acknowledged. */
import { writeSync } from 'node:fs'
import type { Stores } from '../stores.ts'
import { findDriver } from './driver.ts'
import { sqlite } from './sqlite.ts'

/** A log that keeps whatever a process writes before it is killed. */
const ENDLESS = { log: { maxEntries: 1_000_000, maxBytes: 1_000_000_000 } }

const [what = '', file = '', ...rest] = process.argv.slice(2)
const say = (line: string): void => void writeSync(1, `${line}\n`)
const onceTold = (): Promise<void> => new Promise((resolve) => void process.stdin.once('data', () => resolve()))

const TASKS: Record<string, () => Promise<void>> = {
  /** Writes for ever, many at a time. */
  async write() {
    const stores = sqlite(file, ENDLESS)
    for (let at = 0; ; at += 10) await Promise.all(Array.from({ length: 10 }, (_, plus) => writeOne(stores, at + plus)))
  },
  /** Counts up by swap, so many times. */
  async count() {
    const { store, close } = sqlite(file)
    for (let left = Number(rest[0]); left > 0; ) {
      const before = await store.get('count')
      if (await store.swap('count', { expected: before, value: String(Number(before ?? 0) + 1) })) left--
    }
    await close()
  },
  /** Appends to one log and publishes to one topic, so many times, and says the positions. */
  async append() {
    const { log, bus, close } = sqlite(file)
    for (let at = 0; at < Number(rest[0]); at++) {
      say(await log.append('log', `${rest[1]} ${at}`))
      await bus.publish('topic', `${rest[1]} ${at}`)
    }
    await close()
  },
  /** Holds the file until it is told to let go. */
  async hold() {
    const database = findDriver()(file)
    database.exec(rest[0] ?? 'BEGIN IMMEDIATE')
    say('held')
    await onceTold()
    database.exec('COMMIT')
    database.close()
  },
}

async function writeOne({ store, log }: Stores, at: number): Promise<void> {
  const value = `value ${at}`
  const [position] = await Promise.all([log.append('log', value), store.set(`key ${at}`, value)])
  say(`${at} ${position}`)
}

await TASKS[what]?.()
process.exit(0)
