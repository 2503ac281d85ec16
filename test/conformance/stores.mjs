/** The storage backends of the fixture. Each starts its service and returns the environment of the fixture and a function that stops it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { install } from '../../tools/lib/install.mjs'
import { startPostgres } from '../support/services/postgres.mjs'
import { startRedis } from '../support/services/redis.mjs'

async function serviceOf(name, start) {
  install(fileURLToPath(new URL('../stores', import.meta.url)))
  const service = await start()
  if (!service) throw new Error(`${name} is not installed on this machine`)
  return { env: { STORE: name, STORE_URL: service.url }, stop: service.stop }
}

export const STORES = {
  memory: async () => ({ env: {}, stop: async () => {} }),
  async sqlite() {
    const folder = mkdtempSync(join(tmpdir(), 'portcall-conformance-'))
    return {
      env: { STORE: 'sqlite', STORE_URL: join(folder, 'portcall.db') },
      stop: async () => rmSync(folder, { recursive: true, force: true }),
    }
  },
  redis: () => serviceOf('redis', startRedis),
  postgres: () => serviceOf('postgres', startPostgres),
}
