import { createServer } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: 'library', version: '1.0.0' })

const books = new Map([
  ['dune', { title: 'Dune', pages: 412 }],
  ['emma', { title: 'Emma', pages: 474 }],
])

server.resource(
  'book://{id}{?page}',
  {
    title: 'Book',
    mimeType: 'text/plain',
    list: () => [...books].map(([id, { title }]) => ({ uri: `book://${id}`, name: title })),
    complete: { id: (typed) => [...books.keys()].filter((id) => id.startsWith(typed)) },
    cache: { ttlMs: 60_000, cacheScope: 'public' },
  },
  ({ id, page }) => {
    const book = books.get(id)
    return book && `${book.title}, ${page === undefined ? `${book.pages} pages` : `page ${page}`}`
  },
)

// Variables are strings; a schema converts them
server.resource(
  'square://{number}',
  { title: 'Square', variables: z.object({ number: z.coerce.number().int() }) },
  ({ number }) => `${number * number}`,
)
