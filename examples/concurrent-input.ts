import { createServer } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: 'welcome', version: '1.0.0' })

server.tool('introduce', { description: 'Introduce the user' }, async (_, call) => {
  const [{ name }, roots] = await Promise.all([call.elicit('What is your name?', z.object({ name: z.string() })), call.roots()])
  return `${name} works on ${roots.map(({ uri }) => uri).join(', ')}`
})
