import { setTimeout as sleep } from 'node:timers/promises'
import { createServer } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: 'printer', version: '1.0.0' }, { limits: { toolTimeoutMs: 60_000 } })

server.tool(
  'print',
  { description: 'Print pages', input: z.object({ pages: z.int().min(1) }), timeoutMs: 500 },
  async ({ pages }, call) => {
    await sleep(pages * 100, undefined, { signal: call.signal })
    return `Printed ${pages} pages`
  },
)
