/** A slow tool with progress, log messages and cancellation. */
import { createServer } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: 'progress', version: '1.0.0' })

// #region slow
server.tool(
  'count',
  {
    description: 'Counts slowly',
    input: z.object({ to: z.int().min(1).max(100) }),
    timeoutMs: 30_000,
  },
  async ({ to }, call) => {
    for (let step = 1; step <= to; step++) {
      call.signal.throwIfAborted()
      await call.progress(step, to, `at ${step}`)
      await call.log('debug', { step })
    }
    return `Counted to ${to}`
  },
)
// #endregion
