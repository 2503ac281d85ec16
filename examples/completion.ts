import { createServer } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: 'travel', version: '1.0.0' })

const cities = new Map([
  ['norway', ['Oslo', 'Bergen']],
  ['italy', ['Rome', 'Bologna']],
])

server.prompt(
  'visit',
  {
    description: 'Plan a weekend in a city',
    arguments: z.object({ country: z.string(), city: z.string() }),
    complete: {
      country: (typed) => [...cities.keys()].filter((name) => name.startsWith(typed.toLowerCase())),
      city: (typed, { arguments: { country = '' } }) => {
        const inCountry = cities.get(country) ?? [...cities.values()].flat()
        return inCountry.filter((name) => name.toLowerCase().startsWith(typed.toLowerCase()))
      },
    },
  },
  ({ country, city }) => `Plan a weekend in ${city}, ${country}.`,
)
