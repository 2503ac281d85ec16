import { createServer } from 'portcall'
import { connect } from 'portcall/client'
import * as z from 'zod'

export const server = createServer({ name: 'calculator', version: '1.0.0' }).tool(
  'add',
  { description: 'Add two numbers', input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }) },
  ({ a, b }) => ({ sum: a + b }),
)

export async function add(url: string): Promise<number | undefined> {
  const client = await connect<typeof server>(url)
  const { structuredContent } = await client.callTool('add', { a: 1, b: 2 })
  await client.close()
  return structuredContent?.sum
}
