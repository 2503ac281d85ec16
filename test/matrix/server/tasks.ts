import { RpcError, type Server, ToolError } from 'portcall'
import { detach } from 'portcall/tasks'
import * as z from 'zod'
import type { Journal } from './index.ts'

const Name = z.object({ name: z.string() })

/** Tools that support tasks. */
export function addTasks(server: Server, journal: Journal): void {
  server.tool('task_greets', { task: 'optional', input: Name }, ({ name }) => `Hello, ${name}`)
  server.tool('task_only', { task: 'required' }, () => 'done')
  server.tool('task_fails', { task: 'optional' }, () => {
    throw new ToolError('It went wrong')
  })
  server.tool('task_breaks', { task: 'optional' }, () => {
    throw new RpcError(-32000, 'It cannot be done', { why: 'broken' })
  })
  server.tool('task_asks', { task: 'optional' }, async (_, call) => {
    await call.step('begin', () => journal.push('begin'))
    const { name } = await call.elicit('Who are you?', Name)
    const { name: other } = await call.elicit('And who is that?', Name)
    return `${name} and ${other}`
  })
  server.tool('task_asks_first', { task: { support: 'optional', createAt: 'detach' } }, async (_, call) => {
    const { name } = await call.elicit('Who are you?', Name, { key: 'who' })
    await detach(call)
    journal.push('detached')
    return `Hello, ${name}`
  })
  server.tool('task_waits', { task: 'optional' }, async (_, call) => {
    call.progress(1, 2, 'Waiting for the end')
    await new Promise((resolve) => call.signal.addEventListener('abort', resolve))
    journal.push('aborted')
    return 'never'
  })
}
