/** Stores over TLS: with the certificate of the authority that signed the server's, and without it. */
import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Cluster, Redis } from 'ioredis'
import pg from 'pg'
import type { Stores } from 'portcall/stores'
import { postgresStores } from 'portcall/stores/postgres'
import { redisStores } from 'portcall/stores/redis'
import postgresJs from 'postgres'
import { createClient } from 'redis'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { SELF_SIGNED } from '../support/certificates.ts'
import { freePort } from '../support/free-port.mjs'
import { startPostgres, unprivileged } from '../support/services/postgres.mjs'
import { say, startRedis, untilSays } from '../support/services/redis.mjs'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder(afterAll)
chmodSync(folder, 0o755)
const owner = unprivileged(folder)
/** Writes a file that only the user of the servers reads. */
function save(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text, { mode: 0o600 })
  if (owner.uid !== undefined) chownSync(path, owner.uid, owner.gid ?? owner.uid)
  return path
}
const cert = save('cert.pem', SELF_SIGNED.cert)
const key = save('key.pem', SELF_SIGNED.key)

const tlsPort = await freePort()
const tlsFiles = ['--tls-auth-clients', 'no', '--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert]
const redis = await startRedis({ args: ['--tls-port', String(tlsPort), ...tlsFiles] })
const [nodeTlsPort, busPort] = [await freePort(), await freePort()]
/** A cluster of one node. */
const node = await startRedis({
  args: [
    '--tls-port',
    String(nodeTlsPort),
    ...tlsFiles,
    '--tls-cluster',
    'yes',
    '--cluster-announce-ip',
    '127.0.0.1',
    '--cluster-enabled',
    'yes',
    '--cluster-port',
    String(busPort),
  ],
})
if (node) {
  await say(node.port, 'CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
  await untilSays(node.port, ['CLUSTER', 'INFO'], ['cluster_state:ok'])
}
const postgres = await startPostgres({
  args: ['-c', 'fsync=off', '-c', 'ssl=on', '-c', `ssl_cert_file=${cert}`, '-c', `ssl_key_file=${key}`],
})
afterAll(() => Promise.all([redis?.stop(), node?.stop(), postgres?.stop()]))

interface Tls {
  readonly ca?: string
}
type Open = (tls: Tls, timeoutMs: number) => Stores

const host = '127.0.0.1'
const DRIVERS: Record<string, { readonly server: unknown; readonly open: Open }> = {
  ioredis: {
    server: redis,
    open: (tls, timeoutMs) => redisStores(new Redis({ host, port: tlsPort, tls, lazyConnect: true }), { timeoutMs }),
  },
  'a Cluster of ioredis': {
    server: node,
    open: (tls, timeoutMs) =>
      redisStores(new Cluster([{ host, port: nodeTlsPort }], { redisOptions: { tls }, lazyConnect: true }), { timeoutMs }),
  },
  redis: {
    server: redis,
    open: (tls, timeoutMs) =>
      redisStores(createClient({ url: `rediss://${host}:${tlsPort}`, socket: { ...tls, tls: true } }), { timeoutMs }),
  },
  pg: {
    server: postgres,
    open(ssl, timeoutMs) {
      const pool = new pg.Pool({ connectionString: postgres?.url, ssl })
      onTestFinished(() => pool.end())
      return postgresStores(pool, { timeoutMs, schema: 'tls_pg' })
    },
  },
  postgres: {
    server: postgres,
    open(ssl, timeoutMs) {
      const sql = postgresJs(postgres?.url ?? '', { ssl, max: 2 })
      onTestFinished(() => sql.end({ timeout: 1 }))
      return postgresStores(sql, { timeoutMs, schema: 'tls_postgres' })
    },
  },
}

describe.each(Object.entries(DRIVERS))('%s', (_, { server, open }) => {
  test.skipIf(!server)('with the certificate of the authority, everything works', async () => {
    const stores = open({ ca: SELF_SIGNED.cert }, 10_000)
    onTestFinished(stores.close)
    const received: string[] = []
    await stores.bus.subscribe('topic', (message) => void received.push(message))
    await stores.store.set('key', 'value')
    await stores.log.append('log', 'entry')
    await stores.bus.publish('topic', 'message')
    await eventually(() => expect(received).toEqual(['message']))
    expect(await stores.store.get('key')).toBe('value')
  })

  test.skipIf(!server)('without it, operations fail and name the certificate', async () => {
    // Longer than the test may take: there is no second try.
    const { store, log, bus, close } = open({}, 300_000)
    onTestFinished(close)
    const refused = {
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('self-signed certificate'),
    }
    await expect(store.get('key')).rejects.toMatchObject(refused)
    await expect(log.append('log', 'a')).rejects.toMatchObject(refused)
    await expect(bus.subscribe('topic', () => {})).rejects.toMatchObject(refused)
  })
})
