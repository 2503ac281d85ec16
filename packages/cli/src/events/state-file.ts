import { readFile } from 'node:fs/promises'
import type { EventStateStore, SavedEventState } from 'portcall/events/client'
import { isObject } from 'portcall/jsonrpc'
import { parseJson } from '../../../util/src/parse-json.ts'
import { writeFileAtomically } from '../../../util/src/write-file-atomically.ts'
import { usageError } from '../cli-error.ts'

/** Opens the file that keeps positions of subscriptions. Only its owner can read it, because it may contain secrets. */
export async function openStateFile(path: string): Promise<EventStateStore> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw usageError(`${path} cannot be read: ${error.message}`)
  })
  const parsed = parseJson(text)
  if (!isObject(parsed)) throw usageError(`${path} is not a file that --state has written`)
  const states = new Map(Object.entries(parsed)) as Map<string, SavedEventState>
  let writing: Promise<void> = Promise.resolve()
  const write = (): Promise<void> =>
    writeFileAtomically(path, `${JSON.stringify(Object.fromEntries(states), null, 2)}\n`, { mode: 0o600 })
  return {
    load: (key) => states.get(key),
    save(key, state) {
      states.set(key, state)
      writing = writing.then(write, write)
      return writing
    },
  }
}
