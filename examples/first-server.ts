/** The server of docs/get-started/first-server.md: a to-do list. */
import { createServer, ToolError } from 'portcall'
import { serve } from 'portcall/node'
import { serveStdio } from 'portcall/stdio'
import * as z from 'zod'

const todos = new Map([[1, 'Buy pears']])
const server = createServer({ name: 'todo', version: '1.0.0' }, { instructions: 'Keeps a to-do list.' })

server.tool(
  'add',
  { description: 'Adds a to-do', input: z.object({ title: z.string().min(1) }), output: z.object({ id: z.int() }) },
  ({ title }) => {
    const id = Math.max(0, ...todos.keys()) + 1
    todos.set(id, title)
    return { id }
  },
)

server.tool('finish', { description: 'Ticks off a to-do', input: z.object({ id: z.int() }) }, ({ id }) => {
  if (!todos.delete(id)) throw new ToolError(`There is no to-do ${id}`)
  return `${todos.size} left`
})

server.tool('clear', { description: 'Removes all to-dos' }, async (_, call) => {
  const { sure } = await call.elicit(`Remove ${todos.size} to-dos?`, z.object({ sure: z.boolean() }))
  if (sure) todos.clear()
  return sure ? 'Everything was removed' : 'Nothing was removed'
})

server.resource('todo://{id}', { title: 'To-do', mimeType: 'text/plain' }, ({ id }) => todos.get(Number(id)))

server.prompt('plan', { description: 'Plans the day' }, () => `Plan my day. I have to: ${[...todos.values()].join(', ')}`)

if (process.argv.includes('--stdio')) await serveStdio(server)
else console.log(`Listening at ${(await serve(server, { port: Number(process.env.PORT ?? 3000) })).url}`)
