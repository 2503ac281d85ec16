import { createServer } from 'portcall'
import * as z from 'zod'

const TTL_MS = 60_000
const MAX_ENTRIES = 1000
const cached = new Map()
let computed = 0

export const server = createServer({ name: 'statistics', version: '1.0.0' })

server.use(async (request, context, next) => {
  const { name, arguments: args } = request.params ?? {}
  if (request.method !== 'tools/call' || name !== 'average') return await next(request, context)
  const key = JSON.stringify([context.auth?.principal, args])
  const hit = cached.get(key)
  if (hit && hit.expiresAt > Date.now()) return { jsonrpc: '2.0', id: request.id, result: hit.result }

  const response = await next(request, context)
  if ('result' in response && response.result.resultType === 'complete' && !response.result.isError) {
    if (cached.size >= MAX_ENTRIES) cached.clear()
    cached.set(key, { result: response.result, expiresAt: Date.now() + TTL_MS })
  }
  return response
})

server.tool(
  'average',
  { description: 'Average numbers', input: z.object({ numbers: z.array(z.number()).min(1) }) },
  ({ numbers }) => {
    computed++
    return `${numbers.reduce((sum, number) => sum + number, 0) / numbers.length}, computed ${computed} times`
  },
)
