/** A server that lets a client read, search and change a folder of notes. */
import { createServer, type Server } from 'portcall'
import type { Stores } from 'portcall/stores'
import type { Notebook } from './notebook.ts'
import { addPrompts } from './prompts.ts'
import { addNotes, announceChanges } from './resources.ts'
import { addTools } from './tools.ts'

/** State that has to survive a restart is stored in `stores`. */
export function createNotes(notebook: Notebook, stores?: Stores): Server {
  const server = createServer(
    { name: 'notes', title: 'Notes', version: '1.0.0' },
    {
      instructions:
        'A folder of notes in Markdown and plain text. Search first, then read what was found. Paths are relative to the folder.',
      ...(stores && { stores }),
      onEvent: (event) => console.error(event.type === 'error' ? event.error : event.message),
    },
  )
  addNotes(server, notebook)
  addTools(server, notebook)
  addPrompts(server, notebook)

  announceChanges(server, notebook)
  return server
}
