import { Redis } from 'ioredis'
import { createServer } from 'portcall'
import { serve } from 'portcall/node'
import { redisStores } from 'portcall/stores/redis'

const stores = redisStores(new Redis(process.env.REDIS_URL ?? 'redis://localhost'))
const server = createServer({ name: 'hello', version: '1.0.0' }, { stores })
server.tool('ping', { description: 'Check that the server responds' }, () => 'pong')

const { url } = await serve(server, { port: Number(process.env.PORT ?? 3000) })
console.log(`Listening at ${url}`)
