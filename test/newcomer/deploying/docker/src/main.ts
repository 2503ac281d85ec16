import { serve } from 'portcall/node'
import { server } from './server.js'

const { url } = await serve(server, {
  host: '0.0.0.0',
  port: Number(process.env.PORT ?? 3000),
  allowedHosts: ['localhost', '127.0.0.1', ...(process.env.ALLOWED_HOSTS?.split(',') ?? [])],
  onRequest: ({ target }) => (target === '/healthz' ? { status: 200, body: 'ok' } : undefined),
})
console.log(`Listening at ${url}`)
