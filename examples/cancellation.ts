import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer } from 'portcall'

export const server = createServer({ name: 'orders', version: '1.0.0' })

server.tool('export', { description: 'Export all orders' }, async (_, call) => {
  const folder = await mkdtemp(join(tmpdir(), 'export-'))
  try {
    const file = join(folder, 'orders.csv')
    for (let page = 1; page <= 5; page++) {
      await sleep(10, undefined, { signal: call.signal })
      await appendFile(file, `order ${page}\n`)
    }
    return await readFile(file, 'utf8')
  } finally {
    await rm(folder, { recursive: true })
  }
})
