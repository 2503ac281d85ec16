import { createServer } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: 'restaurant', version: '1.0.0' })

server.tool('book', { description: 'Book a table' }, async (_, call) => {
  const { people, when } = await call.elicit(
    'For how many people, and when?',
    z.object({ people: z.int().min(1).max(20), when: z.enum(['lunch', 'dinner']).default('dinner') }),
  )
  return `A table for ${people}, for ${when}`
})
