import { type } from 'arktype'
import { createServer } from 'portcall'

export const server = createServer({ name: 'weather', version: '1.0.0' })

server.tool(
  'forecast',
  {
    description: 'Get the weather forecast of a city',
    input: type({ city: type.string.describe('the name of a city'), days: '1 <= number.integer <= 14 = 3' }),
    output: type({ summary: 'string' }),
  },
  ({ city, days }) => ({ summary: `Sun in ${city} for ${days} days` }),
)
