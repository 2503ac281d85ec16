import { createServer } from 'portcall'
import { auditLog, concurrencyLimit, rateLimit, resultSizeLimit } from 'portcall/middleware'
import { serve } from 'portcall/node'
import * as z from 'zod'

const server = createServer({ name: 'reports', version: '1.0.0' })

server.use(auditLog({ to: process.env.AUDIT_LOG ?? 'audit.jsonl' }))
server.use(rateLimit({ limit: 60, intervalMs: 60_000 }))
server.use(concurrencyLimit({ limit: 2, maxQueued: 10, tools: ['report'] }))
server.use(resultSizeLimit({ maxBytes: 100_000 }))

server.tool('report', { description: 'Write a report', input: z.object({ lines: z.int().min(1) }) }, ({ lines }) =>
  'A line of the report.\n'.repeat(lines),
)

const { url } = await serve(server, { port: Number(process.env.PORT ?? 3000) })
console.log(`Listening at ${url}`)
