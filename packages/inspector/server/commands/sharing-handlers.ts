import { copyAs } from '../sharing/copy-as.ts'
import { compareSources } from '../sharing/diff-sources.ts'
import { exportFile } from '../sharing/export.ts'
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
  'start-replay': ({ serverId, recordingId }, { servers, sharing }) => {
    const text = sharing.recorder.textOf(recordingId)
    return { runId: sharing.replayer.start(servers.get(serverId), { id: recordingId, text }) }
  },
  'cancel-replay': ({ runId }, { sharing }) => sharing.replayer.cancel(runId),
  'serve-recording': async ({ recordingId, serve }, { sharing }) => {
    if (serve) return { url: await sharing.served.start(recordingId, sharing.recorder.textOf(recordingId)) }
    await sharing.served.stop(recordingId)
    return {}
  },
  diff: ({ left, right }, parts) => compareSources(left, right, parts),
  export: (params, parts) => exportFile(params, parts),
  'copy-as': (params, parts) => copyAs(params, parts),
  'save-call': ({ call }, { sharing }) => ({ id: sharing.savedCalls.save(call) }),
  'delete-call': ({ id }, { sharing }) => sharing.savedCalls.delete(id),
  'run-calls': async ({ serverId, ids }, { servers, sharing }) => ({
    outcomes: await sharing.savedCalls.run(servers.get(serverId), ids),
  }),
  'export-calls': ({ ids }, { sharing }) => sharing.savedCalls.export(ids),
}
