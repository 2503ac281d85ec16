import { createServer, ToolError } from 'portcall'
import { serve } from 'portcall/node'
import { serveStdio } from 'portcall/stdio'
import * as z from 'zod'

const todos = new Map([[1, 'Buy pears']])
const server = createServer({ name: 'todo', version: '1.0.0' }, { instructions: 'Manages the to-do list of the user.' })

server.tool(
  'add',
  {
    description: 'Add a to-do',
    input: z.object({ title: z.string().min(1) }),
    output: z.object({ id: z.int() }),
  },
  ({ title }) => {
    const id = Math.max(0, ...todos.keys()) + 1
    todos.set(id, title)
    return { id }
  },
)

server.tool('finish', { description: 'Remove a to-do that is done', input: z.object({ id: z.int() }) }, ({ id }) => {
  if (!todos.delete(id)) throw new ToolError(`There is no to-do ${id}`)
  return `${todos.size} left`
})

server.tool('clear', { description: 'Remove all to-dos' }, async (_, call) => {
  const { sure } = await call.elicit(`Remove ${todos.size} to-dos?`, z.object({ sure: z.boolean() }))
  if (sure) todos.clear()
  return sure ? 'Everything was removed' : 'Nothing was removed'
})

server.resource('todo://{id}', { title: 'To-do', mimeType: 'text/plain' }, ({ id }) => todos.get(Number(id)))

server.prompt('plan', { description: 'Plan my day' }, () => `Plan my day. I have to: ${[...todos.values()].join(', ')}`)

if (process.argv.includes('--stdio')) {
  await serveStdio(server)
} else {
  const { url } = await serve(server, { port: Number(process.env.PORT ?? 3000) })
  console.log(`Listening at ${url}`)
}
