/** A client that is typed by the tools of a server. */
import { createServer, defineTool } from 'portcall'
import { connect } from 'portcall/client'
import * as z from 'zod'

export const tools = {
  add: defineTool({ input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }) }, ({ a, b }) => ({
    sum: a + b,
  })),
  whoami: defineTool({}, (_, call) => call.header('x-user') ?? 'anonymous'),
}

export const server = createServer({ name: 'calculator', version: '1.0.0' }).addTools(tools)

export async function add(url: string): Promise<number | undefined> {
  const client = await connect<typeof tools>(url)
  const { structuredContent } = await client.callTool('add', { a: 1, b: 2 })
  await client.close()
  return structuredContent?.sum
}
