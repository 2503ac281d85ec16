import { createServer } from 'portcall'
import { serve } from 'portcall/node'
import * as z from 'zod'

const server = createServer({ name: 'tasks', version: '1.0.0' })

server.tool('delete', { input: z.object({ path: z.string() }) }, async ({ path }, call) => {
  const { sure } = await call.elicit(`Delete ${path}?`, z.object({ sure: z.boolean() }))
  return sure ? `Deleted ${path}` : `Kept ${path}`
})

await serve(server, { port: Number(process.env.PORT) })
