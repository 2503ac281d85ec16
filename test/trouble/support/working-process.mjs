/**
 * One process of a service with tasks: `node working-process.mjs BACKEND URL NAME FOLDER PORT`. Sends its URL when it listens, then the warnings
 * and errors that its server reports. Its tool `work` appends a line for all that it does to `FOLDER/NAME.log`.
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer } from 'portcall'
import { serve } from 'portcall/node'
import { tasks } from 'portcall/tasks'
import { openBackend } from '../../stores/support/task-backends.mjs'

const [backend, url, name, folder, port] = process.argv.slice(2)
const LEASE_TTL_MS = 1000

const { queue, ...stores } = await openBackend(backend, { url, namespace: name, lockTtlMs: LEASE_TTL_MS })
const limits = { leaseTtlMs: LEASE_TTL_MS, sweepIntervalMs: 1000 }
const report = (text) => process.send?.({ report: text })
const onEvent = (event) => report(event.type === 'warning' ? event.message : String(event.error))
const extensions = [tasks({ limits, ...(queue && { queue }) })]
const server = createServer({ name: 'working', version: '1.0.0' }, { stores, extensions, onEvent })
const log = (line) => appendFileSync(join(folder, `${name}.log`), `${line} ${process.pid}\n`)
const effect = () => {
  log('effect')
  return `effect of ${name}`
}
const input = { type: 'object', properties: { blockMs: { type: 'number' }, waits: { type: 'boolean' } } }
server.tool('work', { task: 'optional', input }, async ({ blockMs = 0, waits = false }, call) => {
  log('start')
  if (blockMs > 0) execFileSync('sleep', [String(blockMs / 1000)])
  while (waits && !existsSync(join(folder, `${name}.go`))) await sleep(20)
  // Timers that were due during a pause run now.
  await sleep(300)
  const receipt = await call.step('effect', effect).catch((error) => {
    report(String(error))
    log('lost')
    throw error
  })
  log('end')
  return receipt
})

const { url: ownUrl } = await serve(server, { port: Number(port) })
process.send?.({ url: ownUrl })
process.on('message', () => process.send?.({ now: Date.now() }))
