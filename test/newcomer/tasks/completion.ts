import { createServer } from 'portcall'
import { serve } from 'portcall/node'

const books: Record<string, string> = { dune: 'Dune, 412 pages', emma: 'Emma, 474 pages' }
const server = createServer({ name: 'tasks', version: '1.0.0' })

server.resource(
  'book://{id}',
  {
    list: () => Object.keys(books).map((id) => ({ uri: `book://${id}`, name: id })),
    complete: { id: (typed) => Object.keys(books).filter((id) => id.startsWith(typed)) },
  },
  ({ id }) => (Object.hasOwn(books, id) ? books[id] : undefined),
)

await serve(server, { port: Number(process.env.PORT) })
