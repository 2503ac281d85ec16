import { createServer } from 'portcall'
import { detach, tasks } from 'portcall/tasks'
import * as z from 'zod'

export const done: string[] = []
export const server = createServer({ name: 'bindery', version: '1.0.0' }, { extensions: [tasks()] })

server.tool('bind', { description: 'Bind the book', task: 'required' }, async (_, call) => {
  await call.step('fold', () => done.push('fold'))
  call.progress(1, 2, 'Folded')
  const { color } = await call.elicit('Which color?', z.object({ color: z.enum(['red', 'blue']) }))
  return `Bound in ${color}`
})

server.tool(
  'post',
  { description: 'Post the book', task: { support: 'optional', createAt: 'detach', ttlMs: 3_600_000 } },
  async (_, call) => {
    const { address } = await call.elicit('Where to?', z.object({ address: z.string() }))
    await detach(call)
    await call.step('stamp', () => done.push('stamp'))
    return `Posted to ${address}`
  },
)
