import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { createServer } from 'portcall'
import * as v from 'valibot'

export const server = createServer({ name: 'weather', version: '1.0.0' })

const Days = v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(14)), 3)

server.tool(
  'forecast',
  {
    description: 'Get the weather forecast of a city',
    input: toStandardJsonSchema(v.object({ city: v.pipe(v.string(), v.description('Name of the city')), days: Days })),
    output: toStandardJsonSchema(v.object({ summary: v.string() })),
  },
  ({ city, days }) => ({ summary: `Sun in ${city} for ${days} days` }),
)
