import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const SOURCE = `
  import { Redis } from 'ioredis'
  import { redisStores } from 'portcall/stores/redis'
  const client = new Redis('redis://127.0.0.1:1', { retryStrategy: () => 10 })
  const stores = redisStores(client)
  const unsubscribe = await stores.bus.subscribe('a', () => {}).catch(() => undefined)
  const results = await Promise.allSettled([stores.store.get('a'), stores.store.set('a', '1')])
  console.log(results.map(({ reason }) => reason?.code).join())
  await new Promise((resolve) => setTimeout(resolve, 500))
  await unsubscribe?.()
  await stores.close()
  client.disconnect()
`

test('operations fail while Redis is down, and ioredis prints nothing', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', SOURCE], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (text) => (stdout += text))
  child.stderr.on('data', (text) => (stderr += text))
  await once(child, 'close')
  expect({ stdout, stderr }).toEqual({ stdout: 'STORE_UNAVAILABLE,STORE_UNAVAILABLE\n', stderr: '' })
})
