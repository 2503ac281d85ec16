/** The server of the pages for those who come from another library: each of them has the same one on its other side. */
import { createServer, ToolError } from 'portcall'
import { type Serving, serve } from 'portcall/node'
import * as z from 'zod'

// #region tool
const server = createServer({ name: 'shop', version: '1.0.0' })

server.tool(
  'divide',
  {
    description: 'Divides one number by another',
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.object({ quotient: z.number() }),
  },
  ({ a, b }) => {
    if (b === 0) throw new ToolError('b must not be 0')
    return { quotient: a / b }
  },
)
// #endregion

// #region progress
server.tool('count', { input: z.object({ to: z.int() }) }, async ({ to }, call) => {
  for (let step = 1; step <= to; step++) await call.progress(step, to)
  return `Counted to ${to}`
})
// #endregion

// #region ask
server.tool('greet', {}, async (_, call) => {
  const { name } = await call.elicit('Who are you?', z.object({ name: z.string() }))
  return `Hello, ${name}!`
})
// #endregion

// #region rest
server.resource('note://{id}', { mimeType: 'text/plain' }, ({ id }) => `Note ${id}`)

server.prompt('review', { arguments: z.object({ code: z.string() }) }, ({ code }) => `Review this: ${code}`)
// #endregion

// #region serve
export const start = (port: number): Promise<Serving> => serve(server, { port })
// #endregion
