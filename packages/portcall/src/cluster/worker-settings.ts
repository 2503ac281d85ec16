import process from 'node:process'
import { isRunning } from '../../../util/src/is-running.ts'
import { setSharedStores } from '../stores/shared-stores.ts'
import { createLazyStores } from './lazy-stores.ts'
import { removeStoresFolderAfter } from './stores-folder.ts'

/** The settings that a worker gets from its supervisor when it starts. */
export interface WorkerSettings {
  /** The process id of the supervisor. */
  readonly supervisor: number
  /** The number of the worker, from 1. A worker that replaces another one has the same number. */
  readonly number: number
  /** The port that the supervisor listens on. */
  readonly port: number
  /** The SQLite file that the workers share, unless the server has stores of its own. */
  readonly storesFile?: string | undefined
}

/** The environment variable with the settings. Programs that a worker starts inherit it, but they have another parent process. */
export const WORKER_VARIABLE = 'PORTCALL_WORKER'

/** The settings of this process if it is a worker. */
export const workerSettings: WorkerSettings | undefined = readSettings()

/** How often the workers look for messages of other workers. */
const POLL_INTERVAL_MS = 20

if (workerSettings?.storesFile) shareStores(workerSettings.storesFile, workerSettings.supervisor)

function readSettings(): WorkerSettings | undefined {
  const text = process.env[WORKER_VARIABLE]
  if (!text || !process.send) return undefined
  const settings: WorkerSettings = JSON.parse(text)
  // A worker whose supervisor has ended has another parent, too. It must close instead of starting workers of its own.
  return settings.supervisor === process.ppid || !isRunning(settings.supervisor) ? settings : undefined
}

/** Makes the servers that this process creates use an SQLite file. */
function shareStores(file: string, supervisor: number): void {
  removeStoresFolderAfter(supervisor, file)
  const open = async () => {
    const { sqliteStores } = await import('../stores/sqlite/sqlite.ts')
    return sqliteStores(file, { bus: { pollIntervalMs: POLL_INTERVAL_MS } })
  }
  setSharedStores(createLazyStores(open))
}
