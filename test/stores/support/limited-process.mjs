/** A process that sends 60 calls at once under a limit of 50 that it shares with others, and reports how many were admitted. */
import { once } from 'node:events'
import { Redis } from 'ioredis'
import { createServer } from 'portcall'
import { connect } from 'portcall/client'
import { rateLimit } from 'portcall/middleware'
import { redisStores } from 'portcall/stores/redis'

const stores = redisStores(new Redis(process.argv[2], { lazyConnect: true }), { prefix: '{limited}:' })
const server = createServer({ name: 'limited', version: '1' })
server.use(rateLimit({ limit: 50, intervalMs: 3_600_000, store: stores.store }))
let admitted = 0
server.tool('count', {}, () => String(++admitted))
const client = await connect(server)
process.send('ready')
await once(process, 'message')
await Promise.all(Array.from({ length: 60 }, () => client.callTool('count').catch(() => {})))
process.send(admitted)
process.disconnect()
await client.close()
await stores.close()
