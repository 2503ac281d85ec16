/** Long-running work that survives a disconnected caller and a crashed process. */
import { createServer } from 'portcall'
import { detach, tasks } from 'portcall/tasks'
import * as z from 'zod'

// #region server
export const server = createServer({ name: 'tasks', version: '1.0.0' }, { extensions: [tasks()] })
// #endregion

const PAGES = ['cover', 'contents', 'index']
export const printed: string[] = []

// #region tool
server.tool('print', { description: 'Prints the book', task: 'optional' }, async (_, call) => {
  for (const [at, page] of PAGES.entries()) {
    await call.step(page, () => printed.push(page))
    call.progress(at + 1, PAGES.length, `Printed the ${page}`)
  }
  return `Printed ${PAGES.length} pages`
})
// #endregion

// #region asks
server.tool('bind', { description: 'Binds the book', task: 'required' }, async (_, call) => {
  await call.step('fold', () => printed.push('fold'))
  call.progress(1, 2, 'Folded')
  const { colour } = await call.elicit('Which colour?', z.object({ colour: z.enum(['red', 'blue']) }))
  return `Bound in ${colour}`
})
// #endregion

// #region detach
server.tool(
  'post',
  { description: 'Posts the book', task: { support: 'optional', createAt: 'detach', ttlMs: 3_600_000 } },
  async (_, call) => {
    const { address } = await call.elicit('Where to?', z.object({ address: z.string() }))
    await detach(call)
    await call.step('stamp', () => printed.push('stamp'))
    return `Posted to ${address}`
  },
)
// #endregion

// #region operator
/** Cancels the abandoned tasks, and waits for the others before the process exits. */
export async function tidyUp(principal: string): Promise<void> {
  const all = await server.tasks.list({ principal })
  const open = all.filter(({ status }) => status === 'working' || status === 'input_required')
  for (const { taskId } of open) await server.tasks.cancel(taskId, { principal, message: 'The shop closes' })
  await server.tasks.stop({ drainTimeoutMs: 10_000 })
}
// #endregion
