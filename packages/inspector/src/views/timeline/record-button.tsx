import type { JSX } from 'preact'
import { notify, run } from '../../state/actions.ts'
import { store } from '../../state/store.ts'
import { IconButton } from '../../ui/basics.tsx'

/** Writes the messages to a file from now on, or stops. */
export function RecordButton(): JSX.Element {
  const recording = [...store.recordings.value.values()].find(({ status }) => status === 'writing')
  const toggle = async (): Promise<void> => {
    if (recording) {
      const stopped = await run('stop-recording', { recordingId: recording.id })
      if (stopped) notify(`Recorded ${stopped.messages} messages to ${recording.path ?? recording.name}`)
      return
    }
    const started = await run('start-recording', {})
    if (started) notify(`Recording to ${started.path}`)
  }
  return (
    <IconButton
      icon="record"
      class={recording ? 'recording' : ''}
      label={recording ? `Stop recording to ${recording.path ?? recording.name}` : 'Record to a file'}
      pressed={recording !== undefined}
      onClick={() => void toggle()}
    />
  )
}
