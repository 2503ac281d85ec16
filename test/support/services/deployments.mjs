/** The ways in which `startDatabases` deploys Redis and PostgreSQL. Each has the form of `runService`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SELF_SIGNED } from '../certificates.ts'
import { freePort } from '../free-port.mjs'
import { startPgBouncer } from './pgbouncer.mjs'
import { startPostgres } from './postgres.mjs'
import { say, startRedis, untilReplicating, untilSays } from './redis.mjs'
import { startRedisCluster } from './redis-cluster.mjs'
import { startRedisWithSentinel } from './redis-sentinel.mjs'

const CONNECTIONS = 90

const isPrimary = ({ port }) =>
  say(port, 'ROLE').then(
    (reply) => reply.includes('master'),
    () => false,
  )

/**
 * Returns a primary and its replica as one server. Killing it kills the one that is the primary; starting it waits until the other one has taken its
 * place, and starts the killed one again, as a replica.
 */
function asOne(pair, url, stop) {
  let killed
  const kill = async () => {
    const roles = await Promise.all(pair.map(isPrimary))
    killed = pair[roles.indexOf(true)]
    if (!killed) throw new Error('None of the servers is the primary')
    await killed.kill()
  }
  const start = async () => {
    const other = pair.find((server) => server !== killed)
    await untilSays(other.port, ['ROLE'], ['master'])
    await killed.start()
    await untilReplicating(killed.port)
  }
  const restart = () => kill().then(start)
  const all = (action) => () => {
    for (const server of pair) server[action]()
  }
  return { url, port: pair[0].port, kill, start, restart, pause: all('pause'), resume: all('resume'), stop }
}

async function startCluster() {
  const cluster = await startRedisCluster({ hasReplica: true })
  if (!cluster) return undefined
  const { nodes, replica, stop } = cluster
  const addresses = [...nodes, replica].map(({ port }) => `node=127.0.0.1:${port}`)
  return asOne([nodes[0], replica], `redis-cluster://127.0.0.1?${addresses.join('&')}`, stop)
}

async function startSentinel() {
  const deployment = await startRedisWithSentinel()
  if (!deployment) return undefined
  const { name, primary, replica, sentinel, stop } = deployment
  return asOne([primary, replica], `redis-sentinel://127.0.0.1:${sentinel.port}/${name}`, stop)
}

async function startTls() {
  const folder = mkdtempSync(join(tmpdir(), 'portcall-tls-'))
  const [cert, key] = ['cert', 'key'].map((name) => join(folder, `${name}.pem`))
  writeFileSync(cert, SELF_SIGNED.cert)
  writeFileSync(key, SELF_SIGNED.key)
  const port = await freePort()
  const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert]
  const server = await startRedis({ args: ['--tls-port', String(port), '--tls-auth-clients', 'no', ...files] })
  const stop = () => Promise.resolve(server?.stop()).finally(() => rmSync(folder, { recursive: true }))
  return server && { ...server, port, url: `rediss://127.0.0.1:${port}?ca=${encodeURIComponent(cert)}`, stop }
}

async function startBehindPooler(options) {
  const server = await startPostgres(options)
  const pooler = server && (await startPgBouncer({ target: server.port, mode: 'session', poolSize: CONNECTIONS }))
  const stop = () => Promise.resolve(pooler?.stop()).then(() => server.stop())
  return pooler && { ...server, port: pooler.port, url: pooler.url, stop }
}

/** @type {Record<string, { redis?(): Promise<any>, postgres?(options?: { args?: string[] }): Promise<any> }>} */
export const DEPLOYMENTS = {
  direct: { redis: startRedis, postgres: startPostgres },
  'redis-cluster': { redis: startCluster },
  'redis-sentinel': { redis: startSentinel },
  'redis-tls': { redis: startTls },
  pgbouncer: { postgres: startBehindPooler },
}
