/** The deployed server: one tool answers directly, one requests input. */
import { createServer } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: 'deployed', version: '1.0.0' })
server.tool('greet', { input: z.object({ name: z.string() }) }, ({ name }) => `Hello, ${name}!`)
server.tool('introduce', {}, async (_, call) => {
  const { name } = await call.elicit('Who are you?', z.object({ name: z.string() }))
  return `Hello, ${name}!`
})

/** Any free port. */
export const port = 0
