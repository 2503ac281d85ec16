import { setTimeout as sleep } from 'node:timers/promises'
import { createServer } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: 'counter', version: '1.0.0' })

server.tool(
  'count',
  { description: 'Count slowly', input: z.object({ to: z.int().min(1).max(100) }), timeoutMs: 30_000 },
  async ({ to }, call) => {
    for (let step = 1; step <= to; step++) {
      await sleep(10, undefined, { signal: call.signal })
      await call.progress(step, to, `at ${step}`)
      await call.log('debug', { step })
    }
    return `Counted to ${to}`
  },
)
