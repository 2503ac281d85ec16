import { createServer } from 'portcall'

export const server = createServer({ name: 'weather', version: '1.0.0' })

server.tool(
  'forecast',
  {
    description: 'Get the weather forecast of a city',
    input: {
      type: 'object',
      properties: {
        city: { type: 'string', description: 'Name of the city' },
        days: { type: 'integer', minimum: 1, maximum: 14 },
      },
      required: ['city'],
      additionalProperties: false,
    },
    output: { type: 'object', properties: { summary: { type: 'string' } }, required: ['summary'] },
  },
  ({ city, days = 3 }) => ({ summary: `Sun in ${city} for ${days} days` }),
)
