/** The cost of the storage backends: values that wait for a client, events of resumable streams. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { AGAINST, withBefore } from '../against.mjs'
import { onServerCore } from '../harness/cores.mjs'
import { BACKENDS } from '../stores/backends.mjs'

const PROGRAMS = {
  portcall: fileURLToPath(new URL('../stores/main.mjs', import.meta.url)),
  before: AGAINST && join(AGAINST, 'bench/stores/main.mjs'),
}
const run = promisify(execFile)

export const STORES = [
  {
    id: 'stores',
    title: 'Stores: operations of 200 bytes; calls of sessions and whole tasks, 16 at once, their clients in the same process',
    columns: ['storePerSecond', 'logPerSecond', 'sessionPerSecond', 'taskPerSecond'],
    subjects: withBefore(['portcall']),
    cells: Object.entries(BACKENDS).map(([id, { title }]) => ({ id, title })),
    rounds: 5,
    open: (name) => ({ program: PROGRAMS[name], close() {} }),
    async measure({ program }, { id }, { ms }) {
      const { command, args } = onServerCore({ command: process.execPath, args: [program, id, String(ms)] })
      return JSON.parse((await run(command, args)).stdout)
    },
  },
]
