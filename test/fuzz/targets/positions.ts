/** Positions in event logs, as `Last-Event-ID` brings them back: only those of the log itself yield entries. */
import { mkdtempSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UnknownPositionError } from '../../../packages/portcall/src/stores/log.ts'
import { entryNumberOf, positionOf } from '../../../packages/portcall/src/stores/log-position.ts'
import { createMemoryLog } from '../../../packages/portcall/src/stores/memory/log.ts'
import { sqliteStores } from '../../../packages/portcall/src/stores/sqlite/sqlite.ts'
import { check } from './pieces.ts'

const ENTRIES = 5

/** Node 20 has no SQLite. */
function hasSqlite(): boolean {
  try {
    createRequire(__filename)('node:sqlite')
    return true
  } catch {
    return false
  }
}

const logs = [
  createMemoryLog(),
  ...(hasSqlite() ? [sqliteStores(join(mkdtempSync(join(tmpdir(), 'fuzz-')), 'fuzz.db')).log] : []),
]
const filled = Promise.all(
  logs.map(async (log) => {
    const positions: string[] = []
    for (let number = 0; number < ENTRIES; number++) positions.push(await log.append('key', String(number)))
    return { log, positions }
  }),
)

export async function fuzz(data: Buffer): Promise<void> {
  const text = data.toString()
  const number = entryNumberOf(text)
  if (number !== undefined) check(text.endsWith(positionOf('', number)), 'a position is the canonical form of its number')
  for (const { log, positions } of await filled) {
    // An input that starts with a digit changes a real position.
    const real = positions[Number(text[0])] ?? ''
    for (const position of [text, real + text.slice(1), text.slice(1) + real]) {
      const after = positions.indexOf(position)
      const entries = await log.read('key', position).catch((error: unknown) => {
        if (!(error instanceof UnknownPositionError)) throw error
        return undefined
      })
      check((entries === undefined) === after < 0, 'exactly the positions of the log are known')
      if (entries) check(entries.length === ENTRIES - after - 1, 'all entries after a position are read')
    }
  }
}
