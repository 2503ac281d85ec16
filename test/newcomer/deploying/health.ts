import { createServer } from 'portcall'
import { serve } from 'portcall/node'

const server = createServer({ name: 'hello', version: '1.0.0' })
server.tool('ping', { description: 'Check that the server responds' }, () => 'pong')

const { url } = await serve(server, {
  port: Number(process.env.PORT ?? 3000),
  health: { check: () => process.memoryUsage().rss < 1_000_000_000 },
  shutdownDelayMs: 5000,
})
console.log(`Listening at ${url}`)
