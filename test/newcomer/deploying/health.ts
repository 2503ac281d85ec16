import { createServer } from 'portcall'
import { serve } from 'portcall/node'

const server = createServer({ name: 'hello', version: '1.0.0' })
server.tool('ping', { description: 'Check that the server responds' }, () => 'pong')

const { url } = await serve(server, {
  port: Number(process.env.PORT ?? 3000),
  onRequest: ({ target }) => (target === '/healthz' ? { status: 200, body: 'ok' } : undefined),
})
console.log(`Listening at ${url}`)
