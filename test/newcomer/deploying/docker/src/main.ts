import { serve } from 'portcall/node'
import { server } from './server.js'

const { url } = await serve(server, {
  host: '0.0.0.0',
  port: Number(process.env.PORT ?? 3000),
  allowedHosts: ['localhost', ...(process.env.ALLOWED_HOSTS?.split(',') ?? [])],
})
console.log(`Listening at ${url}`)
