/** The cost of the storage backends: values that wait for a client, events of resumable streams. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onServerCore } from '../harness/cores.mjs'
import { BACKENDS } from '../stores/backends.mjs'

const PROGRAM = fileURLToPath(new URL('../stores/main.mjs', import.meta.url))
const run = promisify(execFile)

export const STORES = [
  {
    id: 'stores',
    title: 'Stores: operations of 200 bytes; calls of sessions and whole tasks, 16 at once, their clients in the same process',
    columns: ['storePerSecond', 'logPerSecond', 'sessionPerSecond', 'taskPerSecond'],
    subjects: ['portcall'],
    cells: Object.entries(BACKENDS).map(([id, { title }]) => ({ id, title })),
    rounds: 5,
    open: () => ({ close() {} }),
    async measure(_handle, { id }, { ms }) {
      const { command, args } = onServerCore({ command: process.execPath, args: [PROGRAM, id, String(ms)] })
      return JSON.parse((await run(command, args)).stdout)
    },
  },
]
