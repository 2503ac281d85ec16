/* A program that tests run in processes of its own: `node child.mjs COMMAND FILE …`. It prints a line for each acknowledged write. */
import { writeSync } from 'node:fs'
import { findDriver } from '../../src/stores/sqlite/driver.ts'
import { sqliteStores } from '../../src/stores/sqlite/sqlite.ts'
import type { Stores } from '../../src/stores/stores.ts'

/** Large enough for all that a process writes before it is killed. */
const LARGE_LIMITS = { log: { maxEntries: 1_000_000, maxBytes: 1_000_000_000 } }

const [command = '', file = '', ...args] = process.argv.slice(2)
const print = (line: string): void => void writeSync(1, `${line}\n`)
const stdinLine = (): Promise<void> => new Promise((resolve) => void process.stdin.once('data', () => resolve()))

const COMMANDS: Record<string, () => Promise<void>> = {
  /** Writes until it is killed, ten entries at a time. */
  async write() {
    const stores = sqliteStores(file, LARGE_LIMITS)
    for (let at = 0; ; at += 10) await Promise.all(Array.from({ length: 10 }, (_, plus) => writeOne(stores, at + plus)))
  },
  /** Increments a counter with `compareAndSet`, as often as the first argument says. */
  async count() {
    const { store, close } = sqliteStores(file)
    for (let left = Number(args[0]); left > 0; ) {
      const before = await store.get('count')
      if (await store.compareAndSet('count', { expected: before, value: String(Number(before ?? 0) + 1) })) left--
    }
    await close()
  },
  /** Appends to one log and publishes to one topic, as often as the first argument says, and prints the positions. */
  async append() {
    const { log, bus, close } = sqliteStores(file)
    for (let at = 0; at < Number(args[0]); at++) {
      print(await log.append('log', `${args[1]} ${at}`))
      await bus.publish('topic', `${args[1]} ${at}`)
    }
    await close()
  },
  /** Locks the file until a line arrives on stdin. */
  async lock() {
    const database = findDriver()(file)
    database.exec(args[0] ?? 'BEGIN IMMEDIATE')
    print('locked')
    await stdinLine()
    database.exec('COMMIT')
    database.close()
  },
}

async function writeOne({ store, log }: Stores, at: number): Promise<void> {
  const value = `value ${at}`
  const [position] = await Promise.all([log.append('log', value), store.set(`key ${at}`, value)])
  print(`${at} ${position}`)
}

await COMMANDS[command]?.()
process.exit(0)
