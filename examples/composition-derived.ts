import { createServer, defineTool } from 'portcall'
import { deriveTool } from 'portcall/compose'
import { z } from 'zod'

const searchNotes = defineTool(
  { description: 'Search notes', input: z.object({ text: z.string(), owner: z.string(), limit: z.number() }) },
  ({ text, owner, limit }) => `${limit} notes of ${owner} with "${text}"`,
)

export const tools = {
  search_all: searchNotes,
  search_mine: deriveTool(searchNotes, {
    description: 'Search your own notes',
    arguments: { owner: { fixed: (call) => call.auth?.principal ?? 'guest' }, limit: { default: 10 } },
  }),
}

export const server = createServer({ name: 'notes', version: '1.0.0' }).addTools(tools)
