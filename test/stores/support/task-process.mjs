/**
 * One process of a service with tasks: `node task-process.mjs BACKEND URL NAMESPACE FOLDER`. Sends its URL when it listens. Each step of its
 * tool appends a line with the process id to `FOLDER/TASK.log`.
 */
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer } from 'portcall'
import { serve } from 'portcall/node'
import { tasks } from 'portcall/tasks'
import { openBackend } from './task-backends.mjs'

const [backend, url, namespace, folder] = process.argv.slice(2)
const LEASE_TTL_MS = 5000

const { store, bus, queue } = await openBackend(backend, { url, namespace, lockTtlMs: LEASE_TTL_MS })
const limits = { leaseTtlMs: LEASE_TTL_MS, maxAttempts: 100 }
const extensions = [tasks({ store, bus, limits, ...(queue && { queue }) })]

const server = createServer({ name: 'tasks', version: '1.0.0' }, { extensions, onEvent: () => {} })
const text = { type: 'string' }
server.tool('work', { task: 'required', input: { type: 'object', properties: { name: text } } }, async ({ name }, call) => {
  const logStep = (step) => {
    appendFileSync(join(folder, `${name}.log`), `${step} ${process.pid}\n`)
    return `${step} of ${name}`
  }
  const first = await call.step('first', () => logStep('first'))
  const second = await call.step('second', () => logStep('second'))
  logStep('waits')
  while (!existsSync(join(folder, `${name}.go`))) {
    call.signal.throwIfAborted()
    await sleep(20)
  }
  const third = await call.step('third', () => logStep('third'))
  return [first, second, third].join(', ')
})

const { url: ownUrl } = await serve(server, { port: 0 })
process.send?.({ url: ownUrl })
