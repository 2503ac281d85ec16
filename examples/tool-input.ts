import { createServer } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: 'events', version: '1.0.0' })

const Search = z.object({
  query: z.string().min(1).describe('Words that the title contains'),
  city: z.string().optional().describe('Only events in this city'),
  limit: z.int().min(1).max(50).default(10).describe('Maximum number of events'),
  kinds: z
    .array(z.enum(['concert', 'talk', 'exhibition']))
    .default([])
    .describe('Only events of these kinds'),
})

server.tool('search', { description: 'Search events', input: Search }, ({ query, city, limit, kinds }) => {
  const place = city === undefined ? 'anywhere' : `in ${city}`
  return `At most ${limit} ${kinds.map((kind) => `${kind}s`).join(' or ') || 'events'} about ${query}, ${place}`
})
