/** A table with 10,000 rows: the view loads the rows that are on the screen. */
import { createServer } from 'portcall'
import { view } from 'portcall/apps/server'
import * as z from 'zod'

const SPECIES = [
  'Norway maple',
  'Small-leaved lime',
  'London plane',
  'Horse chestnut',
  'Common oak',
  'Silver birch',
  'Black locust',
]
const STREETS = ['Park Lane', 'Mill Road', 'Station Street', 'Castle Hill', 'Garden Walk', 'Harbor Street']
const COLUMNS = ['id', 'species', 'street', 'planted', 'height'] as const

const trees = Array.from({ length: 10_000 }, (_, index) => ({
  id: index + 1,
  species: SPECIES[(index * 31) % SPECIES.length] ?? '',
  street: `${STREETS[(index * 17) % STREETS.length]} ${1 + ((index * 7) % 140)}`,
  planted: 1920 + ((index * 37) % 105),
  height: Math.round(30 + ((index * 53) % 220)) / 10,
}))

const Rows = z.object({
  total: z.number(),
  rows: z.array(z.object({ id: z.number(), species: z.string(), street: z.string(), planted: z.number(), height: z.number() })),
})
const Query = z.object({
  search: z.string().max(100).default(''),
  sort: z.enum(COLUMNS).default('id'),
  descending: z.boolean().default(false),
  offset: z.number().int().min(0).default(0),
})

/** Returns 100 rows at a time: hosts pass no more than 150,000 characters to a view. */
function find({ search, sort, descending, offset }: z.infer<typeof Query>): z.infer<typeof Rows> {
  const words = search.toLowerCase()
  const found = trees.filter(({ species, street }) => `${species} ${street}`.toLowerCase().includes(words))
  found.sort((a, b) => (a[sort] < b[sort] ? -1 : a[sort] > b[sort] ? 1 : a.id - b.id))
  if (descending) found.reverse()
  return { total: found.length, rows: found.slice(offset, offset + 100) }
}

export const server = createServer({ name: 'trees', version: '1.0.0' }).tool(
  'trees',
  { description: 'The trees of the city', input: Query, output: Rows, view: view('./trees-view.ts', { title: 'Trees' }) },
  find,
)
