/** Tools for working with notes. */
import { type Call, type Server, ToolError } from 'portcall'
import * as z from 'zod'
import type { Notebook } from './notebook.ts'
import { uriOf } from './resources.ts'

/** The argument that names a note. */
export const path = z.string().min(1).max(1000).describe('Path of a note below the folder, such as ideas/garden.md')
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

export function addTools(server: Server, notebook: Notebook): void {
  addReading(server, notebook)
  addWriting(server, notebook)
}

function addReading(server: Server, notebook: Notebook): void {
  server.tool(
    'search',
    {
      title: 'Search notes',
      description: 'Finds the notes that contain all words of a query. A word also matches longer words that start with it.',
      input: z.object({
        query: z.string().min(1).max(1000).describe('The words, in any order'),
        limit: z.int().min(1).max(100).default(10).describe('How many of the best to give'),
      }),
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

/** Asks the user for confirmation. A client without elicitation gets an error, and nothing is deleted. */
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
      input: z.object({ path, text: z.string().describe('The whole note, in Markdown or plain text') }),
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
