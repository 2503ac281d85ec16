import { createServer } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: 'files', version: '1.0.0' })

server.tool('delete', { description: 'Delete a file', input: z.object({ path: z.string() }) }, async ({ path }, call) => {
  if (!call.client.capabilities.elicitation) return `Moved ${path} to the trash`
  const { permanently } = await call.elicit(`Delete ${path} permanently?`, z.object({ permanently: z.boolean() }))
  return permanently ? `Deleted ${path}` : `Moved ${path} to the trash`
})
