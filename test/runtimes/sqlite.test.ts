/** The contracts of stores, over the SQLite that comes with each runtime. */
import { expect, it } from 'vitest'
import { BINARIES } from './support/binaries.mjs'
import { DIST } from './support/places.mjs'
import { runToEnd } from './support/process.ts'

const NODE_SQLITE = ['node:sqlite', 'DatabaseSync']
const DRIVERS: { readonly [name: string]: readonly string[] } = {
  'Node 24, node:sqlite': [BINARIES['Node 24'], '--no-warnings', `${DIST}/stores/sqlite.js`, ...NODE_SQLITE],
  'Bun, bun:sqlite': [BINARIES.Bun, 'run', `${DIST}/stores/sqlite.js`, 'bun:sqlite', 'Database'],
  'Deno, node:sqlite': [BINARIES.Deno, 'run', '--no-prompt', '-A', `${DIST}/stores/sqlite.js`, ...NODE_SQLITE],
}

it.each(Object.entries(DRIVERS))(
  '%s',
  async (_name, command) => {
    const { code, stdout, stderr } = await runToEnd(command, 55_000)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const { tests, failures } = JSON.parse(stdout)
    expect(failures).toEqual([])
    expect(tests).toBeGreaterThan(50)
  },
  60_000,
)
