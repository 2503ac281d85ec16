import { copyAs } from '../sharing/copy-as.ts'
import { exportFile } from '../sharing/export.ts'
import { InspectorCommandError } from '../state/command-error.ts'
import type { CommandHandlers } from './handler-types.ts'

type SharingCommand =
  | 'start-recording'
  | 'stop-recording'
  | 'import-recording'
  | 'start-replay'
  | 'cancel-replay'
  | 'serve-recording'
  | 'diff'
  | 'export'
  | 'copy-as'
  | 'save-call'
  | 'delete-call'
  | 'run-calls'
  | 'export-calls'

const missing = (): never => {
  throw new InspectorCommandError('FAILED', 'This build of the inspector cannot replay or compare')
}

/** The commands that keep and share what was seen. */
export const SHARING_HANDLERS: CommandHandlers<SharingCommand> = {
  'start-recording': async ({ path, serverIds = [] }, { sharing }) => {
    const recording = await sharing.recorder.start(path, serverIds)
    return { recordingId: recording.id, path: recording.path ?? '' }
  },
  'stop-recording': async ({ recordingId }, { sharing }) => ({ messages: (await sharing.recorder.stop(recordingId)).messages }),
  'import-recording': async ({ name, text }, { sharing }) => {
    const recording = await sharing.recorder.import(name, text)
    return { recordingId: recording.id, serverId: recording.serverId ?? '' }
  },
  'start-replay': missing,
  'cancel-replay': missing,
  'serve-recording': missing,
  diff: missing,
  export: (params, parts) => exportFile(params, parts),
  'copy-as': (params, parts) => copyAs(params, parts),
  'save-call': ({ call }, { sharing }) => ({ id: sharing.savedCalls.save(call) }),
  'delete-call': ({ id }, { sharing }) => sharing.savedCalls.delete(id),
  'run-calls': async ({ serverId, ids }, { servers, sharing }) => ({
    outcomes: await sharing.savedCalls.run(servers.get(serverId), ids),
  }),
  'export-calls': ({ ids }, { sharing }) => sharing.savedCalls.export(ids),
}
