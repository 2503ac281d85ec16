import { createServer } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: 'weather', version: '1.0.0' })

server.tool(
  'forecast',
  {
    description: 'Get the weather forecast of a city',
    input: z.object({ city: z.string().describe('Name of the city'), days: z.int().min(1).max(14).default(3) }),
    output: z.object({ summary: z.string() }),
  },
  ({ city, days }) => ({ summary: `Sun in ${city} for ${days} days` }),
)
