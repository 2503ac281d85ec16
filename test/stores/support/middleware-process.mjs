/**
 * A process whose server has middleware with a shared store: `node middleware-process.mjs KIND LOCATION NAMESPACE MIDDLEWARE`. It sends `ready`; for
 * each message `{ calls, key }` it calls a tool as often at once, and sends how often its tool has run and the texts of the results.
 */
import { createServer } from 'portcall'
import { connect } from 'portcall/client'
import { auditLog, createStoredAuditLog, idempotency, idempotencyKey, rateLimit } from 'portcall/middleware'

const [kind, location, namespace, name] = process.argv.slice(2)

const OPEN = {
  async sqlite() {
    const { sqliteStores } = await import('portcall/stores/sqlite')
    return sqliteStores(location)
  },
  async redis() {
    const { Redis } = await import('ioredis')
    const { redisStores } = await import('portcall/stores/redis')
    return redisStores(new Redis(location, { lazyConnect: true }), { prefix: `{${namespace}}:`, timeoutMs: 45_000 })
  },
  async postgres() {
    const { default: pg } = await import('pg')
    const { postgresStores } = await import('portcall/stores/postgres')
    return postgresStores(new pg.Pool({ connectionString: location }), { schema: namespace, timeoutMs: 45_000 })
  },
}

const { store } = await OPEN[kind]()
const MIDDLEWARE = {
  rateLimit: () => rateLimit({ limit: 50, intervalMs: 3_600_000, store }),
  idempotency: () => idempotency({ store, leaseTtlMs: 1000 }),
  auditLog: () => auditLog({ to: createStoredAuditLog(store) }),
}

let runs = 0
const server = createServer({ name: 'counting', version: '1' }, { onEvent: () => {} })
server.use(MIDDLEWARE[name]())
server.tool('count', {}, async () => {
  runs++
  process.send('running')
  await new Promise((resolve) => setTimeout(resolve, 200))
  return `${process.pid}`
})
const client = await connect(server)
process.on('message', async ({ calls, key }) => {
  const options = key === undefined ? {} : { meta: idempotencyKey(key) }
  const results = Array.from({ length: calls }, () => client.callTool('count', {}, options).catch((error) => error))
  const texts = (await Promise.all(results)).map((result) => result.content?.[0].text ?? result.message)
  process.send({ runs, texts })
})
process.send('ready')
