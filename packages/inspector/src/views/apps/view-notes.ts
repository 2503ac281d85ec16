import type { AppEvent } from '../../../../portcall/src/apps/host/types.ts'
import { send } from '../../state/api.ts'
import type { ViewNote } from '../../state/protocol.ts'

const MAX_NOTES = 200
const MAX_TEXT = 100_000

/** Writes what happens between the page and a view into the timeline. */
export function createNoteWriter(serverId: string, operationId: string): (note: ViewNote) => void {
  const waiting: ViewNote[] = []
  let isSending = false
  /** Sends what waits: the first note at once, so that it comes before the requests that it causes. */
  const flush = async (): Promise<void> => {
    if (isSending) return
    isSending = true
    while (waiting.length > 0)
      // The timeline is of use to people only: a page that is signed out shows that elsewhere.
      await send('note-view', { serverId, operationId, notes: waiting.splice(0, MAX_NOTES) }).catch(() => {})
    isSending = false
  }
  return (note) => {
    waiting.push({ ...note, text: note.text.slice(0, MAX_TEXT) })
    void flush()
  }
}

/** Returns the note of an event, if it is one for the timeline. */
export function noteOf(event: AppEvent): ViewNote | undefined {
  if (event.type === 'message') {
    const { from, message } = event
    const title = 'method' in message ? message.method : 'error' in message ? 'error' : 'response'
    return { event: 'message', from, title, text: JSON.stringify(message) }
  }
  if (event.type === 'refused') return { event: 'refused', from: 'view', title: event.method ?? 'message', text: event.reason }
  if (event.type === 'view-error') return { event: 'failed', from: 'view', title: event.level, text: event.text }
  if (event.type === 'error') return { event: 'failed', title: 'view', text: textOf(event.error) }
  return undefined
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
