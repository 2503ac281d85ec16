/** Notes as resources, all behind one template. */
import type { Completer, ResourceContents, Server } from 'portcall'
import type { Notebook } from './notebook.ts'

const NOTES = 'notes://{+path}'
const mimeTypeOf = (path: string): string => (path.endsWith('.txt') ? 'text/plain' : 'text/markdown')

/** The URI of a note. */
export const uriOf = (path: string): string => `notes://${path.split('/').map(encodeURIComponent).join('/')}`

/** Completes paths that contain the typed text. */
export function completePath(notebook: Notebook): Completer {
  return (typed) => [...notebook.notes().keys()].filter((path) => path.toLowerCase().includes(typed.toLowerCase()))
}

/** Returns a note as resource contents. */
export async function contentsOf(notebook: Notebook, path: string): Promise<ResourceContents | undefined> {
  const text = await notebook.read(path)
  return text === undefined ? undefined : { uri: uriOf(path), mimeType: mimeTypeOf(path), text }
}

export function addNotes(server: Server, notebook: Notebook): void {
  server.resource(
    NOTES,
    {
      name: 'note',
      title: 'Note',
      description: 'One note of the folder',
      list: () =>
        [...notebook.notes()].map(([path, { size, modified }]) => ({
          uri: uriOf(path),
          name: path,
          title: notebook.index.title(path) ?? path,
          mimeType: mimeTypeOf(path),
          size,
          annotations: { lastModified: modified.toISOString() },
        })),
      complete: { path: completePath(notebook) },
    },
    ({ path }) => contentsOf(notebook, path),
  )
}

/** Notifies clients of changes. */
export function announceChanges(server: Server, notebook: Notebook): void {
  notebook.onChange(({ listed, updated }) => {
    if (listed) server.listChanged('resources')
    for (const path of updated) server.resourceUpdated(uriOf(path))
  })
}
