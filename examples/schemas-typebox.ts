import { createServer } from 'portcall'
import Type from 'typebox'

export const server = createServer({ name: 'weather', version: '1.0.0' })

server.tool(
  'forecast',
  {
    description: 'Get the weather forecast of a city',
    input: Type.Object({
      city: Type.String({ description: 'Name of the city' }),
      days: Type.Optional(Type.Integer({ minimum: 1, maximum: 14 })),
    }),
    output: Type.Object({ summary: Type.String() }),
  },
  ({ city, days = 3 }) => ({ summary: `Sun in ${city} for ${days} days` }),
)
