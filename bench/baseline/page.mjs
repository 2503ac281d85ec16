/** A page on a free port: what any inspector does at least. */
import { createServer } from 'node:http'

const server = createServer((_request, response) =>
  response.setHeader('content-type', 'text/html').end('<!doctype html><title>page</title>'),
)
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`))
