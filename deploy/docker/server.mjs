/** A server for production: shared state, logs, metrics, limits and health checks, configured by its environment. */
import { createServer } from 'portcall'
import { logging } from 'portcall/logging'
import { metrics } from 'portcall/metrics'
import { byAddress, concurrencyLimit, rateLimit } from 'portcall/middleware'
import { serve } from 'portcall/node'
import { memoryStores } from 'portcall/stores'

const { PORT = '3000', HOST = '0.0.0.0', ALLOWED_HOSTS = 'localhost,127.0.0.1', TRUSTED_PROXIES = '0' } = process.env
const { REDIS_URL, DATABASE_URL, SEALING_KEYS, METRICS_TOKEN, SHUTDOWN_DELAY_MS = '0' } = process.env

/** Opens the stores that the environment names. */
async function openStores() {
  if (REDIS_URL) {
    const [{ Redis }, { redisStores }] = await Promise.all([import('ioredis'), import('portcall/stores/redis')])
    return redisStores(new Redis(REDIS_URL, { lazyConnect: true }))
  }
  if (DATABASE_URL) {
    const [{ default: pg }, { postgresStores }] = await Promise.all([import('pg'), import('portcall/stores/postgres')])
    return postgresStores(new pg.Pool({ connectionString: DATABASE_URL }))
  }
  return memoryStores()
}

const prometheus = metrics(METRICS_TOKEN ? { token: METRICS_TOKEN } : {})
const logs = logging({ logger: console })
const stores = prometheus.stores(await openStores())
const server = createServer(
  { name: 'my-server', version: '1.0.0' },
  { stores, onEvent: logs.onEvent, ...(SEALING_KEYS && { sealingKeys: SEALING_KEYS.split(',') }) },
)
server.use(prometheus.middleware)
server.use(logs.middleware)
server.use(rateLimit({ limit: 600, store: stores.store, key: byAddress({ trustedProxies: Number(TRUSTED_PROXIES) }) }))
server.use(concurrencyLimit({ limit: 20 }))

server.tool(
  'greet',
  { description: 'Greet a person', input: { type: 'object', properties: { name: { type: 'string' } } } },
  ({ name }) => `Hello, ${name}!`,
)
server.tool('count', { description: 'Count to three, and report progress' }, async (_, call) => {
  for (let step = 1; step <= 3; step++) {
    await call.progress(step, 3)
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
  return 'done'
})

const { url } = await serve(server, {
  host: HOST,
  port: Number(PORT),
  allowedHosts: ALLOWED_HOSTS.split(','),
  metrics: prometheus,
  shutdownDelayMs: Number(SHUTDOWN_DELAY_MS),
})
console.log(`Listening at ${url}`)
