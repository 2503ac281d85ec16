import { isObject, type JsonObject } from 'portcall/jsonrpc'
import { isJsonEqual } from '../../../util/src/json-equal.ts'
import type { InspectorTask } from '../protocol/servers.ts'
import type { InspectorFiles } from '../state/files.ts'
import type { ManagedServer } from './managed-server.ts'

/** The tasks that the inspector has started. Their ids are kept in a file, so that they can be used after a restart. */
export interface TaskNotes {
  /** The tasks of a server. */
  known(server: ManagedServer): readonly InspectorTask[]
  /** Adds a task, or updates its state. Returns whether that changed anything. */
  note(server: ManagedServer, task: InspectorTask): boolean
  /** The known tasks, with those that the server lists. */
  list(server: ManagedServer): Promise<readonly InspectorTask[]>
}

const FILE = 'tasks.json'
const MAX_TASKS = 200

type Notes = { readonly [target: string]: readonly InspectorTask[] }

/** Creates the notes, with those of earlier runs. */
export function createTaskNotes(files: InspectorFiles): TaskNotes {
  const toNotes = (stored: unknown): Notes => (isObject(stored) ? (stored as Notes) : {})
  let notes = toNotes(files.read(FILE, {}))
  const keyOf = ({ target }: ManagedServer): string => JSON.stringify(target)
  const known = (server: ManagedServer): readonly InspectorTask[] => notes[keyOf(server)] ?? []
  const note: TaskNotes['note'] = (server, task) => {
    const before = known(server).find(({ taskId }) => taskId === task.taskId)
    const after = { ...before, ...task }
    const isUnknown = !before && task.isGone === true
    if (isUnknown || (before && isJsonEqual(before, after))) return false
    notes = files.update(FILE, (stored) => {
      const [current, key] = [{ ...notes, ...toNotes(stored) }, keyOf(server)]
      const others = (current[key] ?? []).filter(({ taskId }) => taskId !== task.taskId)
      return { ...current, [key]: [...others, after].slice(-MAX_TASKS) }
    })
    return true
  }
  return {
    known,
    note,
    async list(server) {
      const { client } = server.connection
      try {
        for (const state of (await client.tasks?.list().toArray()) ?? [])
          note(server, { taskId: String(state.taskId), state: state as unknown as JsonObject })
      } catch {
        // Few servers list tasks; the ones that were started here are known without it.
      }
      return known(server)
    },
  }
}
