import { isObject } from 'portcall/jsonrpc'
import type { ViewEvent, ViewNote } from '../protocol/views.ts'
import { InspectorCommandError } from '../state/command-error.ts'
import type { CommandHandlers } from './handler-types.ts'

const MAX_NOTES = 200
const MAX_TITLE = 200
/** Longer messages are cut. */
const MAX_TEXT = 100_000
const VIEW_ID = /^[\w-]{1,64}$/
const EVENTS: ReadonlySet<unknown> = new Set<ViewEvent>(['message', 'refused', 'blocked', 'failed'])

/** The commands for views of tools. */
export const VIEW_HANDLERS: CommandHandlers<'show-view' | 'note-view'> = {
  'show-view': async ({ origin, viewId }, { views }) => {
    if (!VIEW_ID.test(viewId))
      throw new InspectorCommandError('INVALID_PARAMS', 'The id of the view has other characters than letters and digits')
    return { sandbox: await views.urlFor(origin, viewId) }
  },
  'note-view': ({ serverId, operationId, notes }, { servers, timeline }) => {
    const { id } = servers.get(serverId)
    if (notes.length > MAX_NOTES) throw new InspectorCommandError('INVALID_PARAMS', `There are more than ${MAX_NOTES} notes`)
    for (const { event, from, title, text } of notes.map(checkNote))
      timeline.add({
        type: 'view',
        serverId: id,
        time: Date.now(),
        event,
        title: title.slice(0, MAX_TITLE),
        text: text.slice(0, MAX_TEXT),
        ...(from && { from }),
        ...(operationId !== undefined && { operationId }),
      })
  },
}

function checkNote(note: unknown): ViewNote {
  if (isObject(note) && EVENTS.has(note.event) && typeof note.title === 'string' && typeof note.text === 'string')
    return note as unknown as ViewNote
  throw new InspectorCommandError('INVALID_PARAMS', 'A note of a view has event, title and text')
}
