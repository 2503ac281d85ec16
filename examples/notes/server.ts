/** The main example: a server that lets a client read, search and change a folder of notes. */
import { createServer, ErrorCode, RpcError, ToolError, type Call, type Complete, type ResourceContents, type Server } from 'portcall'
import * as z from 'zod'
import type { Notebook } from './notebook.ts'

const NOTES = 'notes://{+path}'
const uriOf = (path: string): string => `notes://${path.split('/').map(encodeURIComponent).join('/')}`
const mimeTypeOf = (path: string): string => (path.endsWith('.txt') ? 'text/plain' : 'text/markdown')

const path = z.string().min(1).max(1000).describe('Path of a note below the folder, such as ideas/garden.md')
const Yes = z.object({ confirm: z.boolean().describe('Yes, do it') })

const Found = z.object({
  total: z.int().describe('How many notes were found in all'),
  matches: z.array(
    z.object({
      path: z.string(),
      uri: z.string(),
      title: z.string(),
      line: z.int().describe('The first line with a word of the query'),
      text: z.string().describe('That line'),
      score: z.int(),
    }),
  ),
})

export function createNotes(notebook: Notebook): Server {
  const server = createServer(
    { name: 'notes', title: 'Notes', version: '1.0.0' },
    {
      instructions: 'A folder of notes in Markdown and plain text. Search first, then read what was found. Paths are relative to the folder.',
      onEvent: (event) => console.error(event.type === 'error' ? event.error : event.message),
    },
  )
  addReading(server, notebook)
  addWriting(server, notebook)
  addPrompts(server, notebook)

  notebook.onChange(({ listed, updated }) => {
    // The notes behind a template are not registered one by one: touching the template announces that the list has changed.
    if (listed) server.templates.update(NOTES, {})
    for (const path of updated) server.resourceUpdated(uriOf(path))
  })
  return server
}

/** Suggests the paths that contain what was typed so far. */
function completePath(notebook: Notebook): Complete {
  return (typed) => [...notebook.notes().keys()].filter((path) => path.toLowerCase().includes(typed.toLowerCase()))
}

async function contentsOf(notebook: Notebook, path: string): Promise<ResourceContents | undefined> {
  const text = await notebook.read(path)
  return text === undefined ? undefined : { uri: uriOf(path), mimeType: mimeTypeOf(path), text }
}

function addReading(server: Server, notebook: Notebook): void {
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
          mimeType: mimeTypeOf(path),
          size,
          annotations: { lastModified: modified.toISOString() },
        })),
      complete: { path: completePath(notebook) },
    },
    ({ path }) => contentsOf(notebook, path),
  )

  server.tool(
    'search',
    {
      title: 'Search notes',
      description: 'Finds the notes that contain all words of a query. A word also finds longer words that begin with it.',
      input: z.object({ query: z.string().min(1).max(1000), limit: z.int().min(1).max(100).default(10) }),
      output: Found,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ query, limit }) => {
      const { total, matches } = notebook.index.search(query, limit)
      return { total, matches: matches.map((match) => ({ ...match, uri: uriOf(match.path) })) }
    },
  )

  server.tool(
    'read',
    {
      title: 'Read a note',
      description: 'Gives the text of a note.',
      input: z.object({ path }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ path }) => (await notebook.read(path)) ?? missing(path),
  )

  server.tool(
    'reindex',
    {
      title: 'Read all notes again',
      description: 'Builds the index of words from nothing. Only needed when a change on disk went unnoticed.',
      output: z.object({ notes: z.int(), words: z.int() }),
      annotations: { idempotentHint: true, destructiveHint: false, openWorldHint: false },
    },
    async (_, call) => {
      await notebook.reindex((done, total, path) => {
        call.signal.throwIfAborted()
        return call.progress(done, total, path)
      })
      return { notes: notebook.index.notes, words: notebook.index.words }
    },
  )
}

function missing(path: string): never {
  throw new ToolError(`There is no note ${JSON.stringify(path)}.`)
}

/** Asks the user. A client that cannot ask gets an error, and nothing is done. */
async function isConfirmed(call: Call, question: string): Promise<boolean> {
  const { confirm } = await call.elicit(question, Yes)
  return confirm
}

function addWriting(server: Server, notebook: Notebook): void {
  server.tool(
    'write',
    {
      title: 'Write a note',
      description: 'Writes a note. Asks the user before it overwrites one.',
      input: z.object({ path, text: z.string() }),
      annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    async ({ path, text }, call) => {
      const size = await notebook.size(path)
      const replace = size !== undefined
      if (replace && !(await isConfirmed(call, `Overwrite ${path} (${size} bytes)?`))) return `${path} was left as it is.`
      await notebook.write(path, text, { replace })
      return `${replace ? 'Overwrote' : 'Wrote'} ${path}.`
    },
  )

  server.tool(
    'delete',
    {
      title: 'Delete a note',
      description: 'Deletes a note. Asks the user first.',
      input: z.object({ path }),
      annotations: { destructiveHint: true, openWorldHint: false },
    },
    async ({ path }, call) => {
      const size = (await notebook.size(path)) ?? missing(path)
      if (!(await isConfirmed(call, `Delete ${path} (${size} bytes) for good?`))) return `${path} was left as it is.`
      await notebook.remove(path)
      return `Deleted ${path}.`
    },
  )
}

function addPrompts(server: Server, notebook: Notebook): void {
  const lengths = ['one sentence', 'one paragraph', 'five bullet points'] as const
  server.prompt(
    'summarise',
    {
      title: 'Summarise a note',
      description: 'Summarises one note',
      arguments: z.object({ path, length: z.enum(lengths).default('one paragraph') }),
      complete: { path: completePath(notebook), length: (typed) => lengths.filter((length) => length.startsWith(typed)) },
    },
    async ({ path, length }) => {
      const resource = await contentsOf(notebook, path)
      if (!resource) throw new RpcError(ErrorCode.invalidParams, `There is no note ${JSON.stringify(path)}`)
      return [
        { role: 'user', content: { type: 'resource', resource } },
        { role: 'user', content: { type: 'text', text: `Summarise this note in ${length}.` } },
      ]
    },
  )

  server.prompt(
    'answer',
    {
      title: 'Answer from the notes',
      description: 'Answers a question with what the notes say',
      arguments: z.object({ question: z.string().min(1).max(1000), words: z.string().describe('What to search for') }),
    },
    async ({ question, words }) => {
      const { matches } = notebook.index.search(words, 5)
      const found = await Promise.all(matches.map(({ path }) => contentsOf(notebook, path)))
      return [
        ...found.filter((resource) => resource !== undefined).map((resource) => ({ role: 'user' as const, content: { type: 'resource' as const, resource } })),
        { role: 'user', content: { type: 'text', text: `${question}\n\nAnswer only from the notes above, and name the ones that you used.` } },
      ]
    },
  )
}
