/** Resources and resource templates. */
import { createServer } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: 'resources', version: '1.0.0' })

// #region fixed
server.resource('config://settings', { title: 'Settings', mimeType: 'application/json' }, () =>
  JSON.stringify({ colour: 'green' }),
)

server.resource('bin://seed', { mimeType: 'application/octet-stream', size: 3 }, () => new Uint8Array([1, 2, 3]))

server.resource('log://today', { mimeType: 'text/plain', maxBytes: 64 * 1024 }, async function* () {
  yield 'first line\n'
  yield 'second line\n'
})
// #endregion

// #region template
const books: Record<string, { title: string; pages: number }> = {
  dune: { title: 'Dune', pages: 412 },
  emma: { title: 'Emma', pages: 474 },
}

server.resource(
  'book://{id}{?page}',
  {
    title: 'Book',
    mimeType: 'text/plain',
    list: () => Object.entries(books).map(([id, { title }]) => ({ uri: `book://${id}`, name: title })),
    complete: { id: (typed) => Object.keys(books).filter((id) => id.startsWith(typed)) },
    cache: { ttlMs: 60_000, cacheScope: 'public' },
  },
  ({ id, page }) => {
    const book = Object.hasOwn(books, id) ? books[id] : undefined
    return book && `${book.title}, ${page === undefined ? `${book.pages} pages` : `page ${page}`}`
  },
)
// #endregion

// #region variables
server.resource(
  'square://{number}',
  { variables: z.object({ number: z.coerce.number().int() }) },
  ({ number }) => `${number * number}`,
)
// #endregion
